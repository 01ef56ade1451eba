"""A side's answers to ranges of one space: equal ranges are done, long ones are split, short ones
listed.
"""

from collections.abc import Callable
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.messages import END, SHORT, START, split_shorts
from protocol.ledger.merge.record_ranges import RecordRanges
from protocol.ledger.record_set import Place
from protocol.limits import MAX_MERGE_RECORDS, MERGE_LIST


class RangeComparison:
    """Comparison of one space in a session. `knows` returns whether this side lists a record with
    this short, in any space.

    Methods that take items raise RemoteError(BAD_MESSAGE) unless ranges ascend within a turn. The
    answer to one message is therefore at most as long as the whole list.
    """

    def __init__(self, listing: RecordRanges, knows: Callable[[bytes], bool]) -> None:
        self._listing = listing
        self._knows = knows
        self._runs: list[list[Any]] = []
        self._lists: list[list[Any]] = []
        self._extra: list[list[Any]] = []
        # by kind of message: lower bound of the next range that may follow in this turn
        self._met: dict[str, Place] = {}
        # place in the other side's order, number of the item, missing shorts
        self._wanted: list[tuple[Place, int, bytes]] = []
        self._heard = self._count = 0  # items in `_wanted`, and shorts in these

    def begin(self) -> None:
        """Start the comparison with one range of all records."""
        self._runs.append([*START, [self._listing.whole(START, END)]])

    def ranges(self, runs: list[Any]) -> None:
        """Process ranges with their counts and fingerprints."""
        for *low, parts in runs:
            bound = low[0], low[1]
            for *high, count, fingerprint in parts:
                bound = self._compare(bound, (high[0], high[1]), count, fingerprint)

    def _compare(self, low: Place, high: Place, count: int, fingerprint: bytes) -> Place:
        self._ascends("ranges", low, high)
        start, end = self._listing.span(low, high)
        if end - start == count and self._listing.fingerprint(start, end) == fingerprint:
            return high
        if end - start < MERGE_LIST:
            self._lists.append([*low, *high, b"".join(self._listing.shorts(start, end))])
        else:
            self._runs.append([*low, self._listing.parts(low, high)])
        return high

    def ids(self, items: list[Any]) -> list[bytes]:
        """Process the other side's complete lists of some ranges. Returns the missing shorts.

        Own records that are missing in the lists are noted for the answer.
        """
        news: list[bytes] = []
        for depth, beginning, to_depth, to_beginning, shorts in items:
            low = (depth, beginning)
            high = (to_depth, to_beginning)
            self._ascends("ids", low, high)
            theirs = split_shorts(shorts)
            news += self._note(low, theirs)
            listed = set(theirs)
            extra = [
                short
                for short in self._listing.shorts(*self._listing.span(low, high))
                if short not in listed
            ]
            # shorts in one item, so that several items fit a message
            room = MERGE_LIST * MERGE_LIST
            self._extra += [
                [*low, b"".join(extra[at : at + room])] for at in range(0, len(extra), room)
            ]
        return news

    def have(self, items: list[Any]) -> list[bytes]:
        """Process the shorts that the other side has besides this side's lists. Returns the missing
        ones.
        """
        news: list[bytes] = []
        for depth, beginning, shorts in items:
            self._ascends("have", (depth, beginning), END)
            self._met["have"] = depth, beginning
            news += self._note((depth, beginning), split_shorts(shorts))
        return news

    def _ascends(self, kind: str, low: Place, high: Place) -> None:
        if not self._met.get(kind, START) <= low < high <= END:
            raise RemoteError(Code.BAD_MESSAGE)
        self._met[kind] = high

    def _note(self, low: Place, shorts: list[bytes]) -> list[bytes]:
        """Note and return missing shorts. If they are too many, the first in the other side's order
        stay for this session.
        """
        news = [short for short in shorts if not self._knows(short)]
        if news:
            self._wanted.append((low, self._heard, b"".join(news)))
            self._heard += 1
            self._count += len(news)
        if self._count > 2 * MAX_MERGE_RECORDS:
            self._wanted.sort()
            while self._count - len(self._wanted[-1][2]) // SHORT > MAX_MERGE_RECORDS:
                self._count -= len(self._wanted.pop()[2]) // SHORT
        return news

    def missing_shorts(self) -> list[bytes]:
        """Return the missing shorts in the other side's order. Their number may exceed the limit of
        a session.
        """
        wanted = sorted(self._wanted)
        self._wanted = []
        return [short for _, _, shorts in wanted for short in split_shorts(shorts)]

    def answers(self) -> dict[str, list[list[Any]]]:
        """Return the answers to the other side's turn, by kind of message."""
        said = {"ranges": self._runs, "ids": self._lists, "have": self._extra}
        self._runs = []
        self._lists = []
        self._extra = []
        self._met.clear()
        return said
