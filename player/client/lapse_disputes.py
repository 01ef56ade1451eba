"""Disputes about lapses: the longest time for which the table can have waited, as far as this program
knows, and the `doubt` of a lapse that claims more.

A lapse claims a number of milliseconds since an entry was sent out. An earlier entry of this seat
cannot stand in the log before this program sent it. The table has therefore waited no longer than
the time since then. A slow connection, or one that stood still and then brought everything at once,
only makes that time longer. A program that was started again has sent nothing yet, and doubts
nothing. The wall clock counts too, for a machine that slept.
"""

from collections.abc import Callable

from protocol.dealing import Post
from protocol.limits import CLOCK_DRIFT_PERCENT, CLOCK_TOLERANCE_SECONDS
from protocol.match.clock import LAPSE
from protocol.match.log import Entry
from protocol.match.state import Match

Moment = tuple[float, ...]  # by each of the clocks, in seconds


class LapseDisputes:
    """The times at which this seat's entries were sent, and the doubts that are not posted yet."""

    def __init__(self, *clocks: Callable[[], float]) -> None:
        """`clocks`, in seconds: of several, the one by which most time has passed counts."""
        self._clocks = clocks
        self._pending_since: Moment | None = None  # the first sending of our pending entry
        # log numbers of our entries, with the times of their first sending
        self._accepted: list[tuple[int, Moment]] = []
        self._due: list[Post] = []

    def note_sent(self) -> None:
        """Note that a new entry of ours goes out."""
        self._pending_since = self._now()

    def pending_seconds(self) -> float | None:
        """Return the seconds since the pending entry was first sent; None if another run of the
        program sent it.
        """
        if self._pending_since is None:
            return None
        return self._now()[0] - self._pending_since[0]

    def note_accepted(self, number: int) -> None:
        """Note that our pending entry stands in the log, with this number."""
        if self._pending_since is not None:
            self._accepted.append((number, self._pending_since))
        self._pending_since = None

    def check_lapse(self, before: Match, entry: Entry) -> None:
        """Check an entry that has come, and prepare a doubt if it is a lapse that claims too much.
        `before`: the match before the entry.
        """
        if entry.kind != LAPSE:
            return
        seat, waited = entry.body
        most = self._longest_wait(before.duty_since(seat))
        if (
            most is not None
            and most + 1000 * CLOCK_TOLERANCE_SECONDS < waited * (100 - CLOCK_DRIFT_PERCENT) // 100
        ):
            self._due.append(Post("doubt", [before.next_number, most]))

    def take_doubt(self) -> Post | None:
        """Return the next doubt to post, and remove it; None if there is none."""
        return self._due.pop(0) if self._due else None

    def _longest_wait(self, since: int) -> int | None:
        """Return the greatest number of milliseconds for which the table can have waited since this
        entry; None if that is unknown.
        """
        sent = next((sent for number, sent in reversed(self._accepted) if number <= since), None)
        if sent is None:
            return None
        return max(int(1000 * (now - then)) for now, then in zip(self._now(), sent, strict=True))

    def _now(self) -> Moment:
        return tuple(clock() for clock in self._clocks)
