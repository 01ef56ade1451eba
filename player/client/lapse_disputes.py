"""Disputes about lapses: how long the table can have waited, from what this program knows, for its
`doubt`.

A lapse claims a number of milliseconds since an entry was sent out. That entry came after each
entry before it, one of this seat's among them, and that one cannot have stood before this program
sent it. The table has therefore waited no longer than the time since then. A line that is slow, or
that stood still and then brought everything at once, only makes that time longer. A program that
was started again has sent nothing yet, and doubts nothing. A program whose machine slept asks the
wall clock too.
"""

from collections.abc import Callable

from protocol.dealing import Post
from protocol.limits import CLOCK_DRIFT_PERCENT, CLOCK_TOLERANCE_SECONDS
from protocol.match.clock import LAPSE
from protocol.match.log import Entry
from protocol.match.state import Match

Moment = tuple[float, ...]  # by each of the clocks, in seconds


class LapseDisputes:
    """The times at which this seat's entries were sent, their numbers, and the doubts about lapses
    since.
    """

    def __init__(self, *clocks: Callable[[], float]) -> None:
        """`clocks`, in seconds: the one that says that most time has passed is believed."""
        self._clocks = clocks
        self._sent: Moment | None = None  # when our entry under way was sent for the first time
        # our entries by log number, and when they were sent
        self._stood: list[tuple[int, Moment]] = []
        self._due: list[Post] = []

    def sent(self) -> None:
        """A new entry of ours goes out."""
        self._sent = self._now()

    def waited(self) -> float | None:
        """Return the seconds since the pending entry was first sent; None if another run of the
        program sent it.
        """
        if self._sent is None:
            return None
        return self._now()[0] - self._sent[0]

    def stands(self, number: int) -> None:
        """Our entry under way stands in the log, with this number."""
        if self._sent is not None:
            self._stood.append((number, self._sent))
        self._sent = None

    def read(self, before: Match, entry: Entry) -> None:
        """An entry has come; `before` it the match stood so."""
        if entry.kind != LAPSE:
            return
        seat, waited = entry.body
        most = self._at_most(before.duty_since(seat))
        if (
            most is not None
            and most + 1000 * CLOCK_TOLERANCE_SECONDS < waited * (100 - CLOCK_DRIFT_PERCENT) // 100
        ):
            self._due.append(Post("doubt", [before.next_number, most]))

    def post(self) -> Post | None:
        """Return a doubt that was not posted yet, once."""
        return self._due.pop(0) if self._due else None

    def _at_most(self, since: int) -> int | None:
        """Return the greatest number of milliseconds for which the table can have waited since this
        entry; None if that is unknown.
        """
        sent = next((sent for number, sent in reversed(self._stood) if number <= since), None)
        if sent is None:
            return None
        return max(int(1000 * (now - then)) for now, then in zip(self._now(), sent, strict=True))

    def _now(self) -> Moment:
        return tuple(clock() for clock in self._clocks)
