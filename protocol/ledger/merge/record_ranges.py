"""Records of one side and one space in order, with fast counts and fingerprints of any range."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

from protocol.crypto.hashing import digest
from protocol.ledger.merge.messages import FINGERPRINT, SHORT
from protocol.ledger.record_set import Place
from protocol.limits import MERGE_PARTS


def short_id(salt: bytes, name: bytes) -> bytes:
    """Return the 32-byte id of a record in this session. Nobody can choose it before both have
    chosen the salt.
    """
    return digest("merge mark", salt, name)


class RecordRanges:
    """Records of one side by (depth, id). The count or the sum of a range takes two searches."""

    def __init__(self, order: Sequence[Place], marks: Mapping[bytes, bytes]) -> None:
        """Create the ranges. `marks` maps each id to its session id."""
        self._order = order
        self._shorts = [marks[name][:SHORT] for _, name in order]
        self._sums = [0, *accumulate(int.from_bytes(marks[name], "big") for _, name in order)]

    def span(self, low: Place, high: Place) -> tuple[int, int]:
        """Return the positions of the first record in a range, and of the first one after it."""
        return bisect_left(self._order, low), bisect_left(self._order, high)

    def fingerprint(self, start: int, end: int) -> bytes:
        """Return the fingerprint of the records from position `start` up to `end`: equal for equal
        sets of records.
        """
        total = (self._sums[end] - self._sums[start]) % 2**256
        return digest("merge fingerprint", total.to_bytes(32, "big"))[:FINGERPRINT]

    def shorts(self, start: int, end: int) -> list[bytes]:
        """Return the shorts from position `start` up to `end`."""
        return self._shorts[start:end]

    def ids(self) -> list[bytes]:
        """Return the ids of all records, in order."""
        return [name for _, name in self._order]

    def names(self) -> dict[bytes, Place]:
        """Return the places of all records by short."""
        return dict(zip(self._shorts, self._order, strict=True))

    def parts(self, low: Place, high: Place) -> list[list[object]]:
        """Split a range into MERGE_PARTS equal parts. Returns upper bound, count and fingerprint of
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
        """Return a range as a single part."""
        start, end = self.span(low, high)
        return [*high, end - start, self.fingerprint(start, end)]

    def _before(self, position: int) -> Place:
        """Return the shortest bound between the record at a position and the one before it."""
        (above, before), (depth, name) = self._order[position - 1], self._order[position]
        if above < depth:
            return depth, b""
        return depth, next(name[:size] for size in range(1, len(name) + 1) if name[:size] > before)
