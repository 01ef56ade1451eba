"""What one side puts up for comparison in one space: its records in order, with what any range of
them comes to.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

from protocol.crypto.hashing import digest
from protocol.ledger.merge.messages import FINGERPRINT, SHORT
from protocol.ledger.record_set import Place
from protocol.limits import MERGE_PARTS


def short_id(salt: bytes, name: bytes) -> bytes:
    """What stands for a record in this session: 32 bytes that nobody can choose before both have
    chosen the salt.
    """
    return digest("merge mark", salt, name)


class RecordRanges:
    """Records of one side, by (depth, id). To count a range, or to sum it up, takes two
    searches.
    """

    def __init__(self, order: Sequence[Place], marks: Mapping[bytes, bytes]) -> None:
        """`marks`: of each id."""
        self._order = order
        self._shorts = [marks[name][:SHORT] for _, name in order]
        self._sums = [0, *accumulate(int.from_bytes(marks[name], "big") for _, name in order)]

    def span(self, low: Place, high: Place) -> tuple[int, int]:
        """Positions of the first in a range, and of the first behind it."""
        return bisect_left(self._order, low), bisect_left(self._order, high)

    def fingerprint(self, start: int, end: int) -> bytes:
        """Of those from position `start` to before `end`: equal for equal records, whatever their
        order.
        """
        total = (self._sums[end] - self._sums[start]) % 2**256
        return digest("merge fingerprint", total.to_bytes(32, "big"))[:FINGERPRINT]

    def shorts(self, start: int, end: int) -> list[bytes]:
        """In order."""
        return self._shorts[start:end]

    def names(self) -> dict[bytes, Place]:
        """Places by short."""
        return dict(zip(self._shorts, self._order, strict=True))

    def parts(self, low: Place, high: Place) -> list[list[object]]:
        """A range in equal parts, as many as a message says: upper bound, count and fingerprint of
        each.
        """
        start, end = self.span(low, high)
        cuts = [start + (end - start) * part // MERGE_PARTS for part in range(MERGE_PARTS + 1)]
        bounds = [self._before(cut) for cut in cuts[1:-1]] + [high]
        return [
            [*bound, right - left, self.fingerprint(left, right)]
            for bound, left, right in zip(bounds, cuts, cuts[1:], strict=False)
        ]

    def whole(self, low: Place, high: Place) -> list[object]:
        """A range as one part."""
        start, end = self.span(low, high)
        return [*high, end - start, self.fingerprint(start, end)]

    def _before(self, position: int) -> Place:
        """The shortest bound between a record and the one before it."""
        (above, before), (depth, name) = self._order[position - 1], self._order[position]
        if above < depth:
            return depth, b""
        return depth, next(name[:size] for size in range(1, len(name) + 1) if name[:size] > before)
