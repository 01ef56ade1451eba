"""How one side answers ranges of one space: what is equal is done, a long range is split, a short
one listed.
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
    """One space of a session. `knows`: whether this side has the record of a short, whether or not
    it is listed.

    Each method that takes items raises RemoteError(BAD_MESSAGE) for ranges that do not ascend
    within a turn: so what one message can ask for is bounded by what there is to list.
    """

    def __init__(self, listing: RecordRanges, knows: Callable[[bytes], bool]) -> None:
        self._listing, self._knows = listing, knows
        self._runs: list[list[Any]] = []
        self._lists: list[list[Any]] = []
        self._extra: list[list[Any]] = []
        # kind of message -> where the next range of this turn may begin
        self._met: dict[str, Place] = {}
        # where it stands with the other side, and which shorts
        self._wanted: list[tuple[Place, int, bytes]] = []
        self._heard = self._count = 0  # items and shorts among these

    def begin(self) -> None:
        """Put up everything as one range."""
        self._runs.append([*START, [self._listing.whole(START, END)]])

    def ranges(self, runs: list[Any]) -> None:
        """Take ranges with their counts and fingerprints."""
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
        """Take all that the other side lists of some ranges: what is news, and note what it does
        not list.
        """
        news: list[bytes] = []
        for depth, beginning, to_depth, to_beginning, shorts in items:
            low, high = (depth, beginning), (to_depth, to_beginning)
            self._ascends("ids", low, high)
            theirs = split_shorts(shorts)
            news += self._note(low, theirs)
            listed = set(theirs)
            extra = [
                short
                for short in self._listing.shorts(*self._listing.span(low, high))
                if short not in listed
            ]
            room = MERGE_LIST * MERGE_LIST  # in one item, so that a message can take some
            self._extra += [
                [*low, b"".join(extra[at : at + room])] for at in range(0, len(extra), room)
            ]
        return news

    def have(self, items: list[Any]) -> list[bytes]:
        """Take what the other side has beside what was listed to it: what is news."""
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
        """What is news. Of too many the first in the other side's order stay: the rest is for
        another session.
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
        """Shorts that are news, in the other side's order: more than anybody takes if it has
        more.
        """
        wanted, self._wanted = sorted(self._wanted), []
        return [short for _, _, shorts in wanted for short in split_shorts(shorts)]

    def answers(self) -> dict[str, list[list[Any]]]:
        """What is to be said, by kind of message, now that the other's turn is over."""
        said = {"ranges": self._runs, "ids": self._lists, "have": self._extra}
        self._runs, self._lists, self._extra = [], [], []
        self._met.clear()
        return said
