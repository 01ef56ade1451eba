"""When the table has something to say about time. Pure: how long it has waited comes in, what to
post comes out.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from protocol.dealing import Post
from protocol.match.clock import Allowance, new_clock, next_clock_entry, slow_step_seconds
from table.match.status import ClockDuty, MatchStatus


class Tick(NamedTuple):
    """The clock entry to post now, if any, and the seconds after which to ask again at the latest."""

    post: Post | None
    again: float


class WaitTimes:
    """For each seat: the duty that the table waits for, and since when."""

    def __init__(self, level: float) -> None:
        """`level`: seconds for which the match may delay an entry; they are not the seat's time."""
        self._level = level
        # by seat: number of the entry that brought the duty; when it went out
        self._since: dict[int, tuple[int, float]] = {}

    def begin(self, status: MatchStatus, stored: int, now: float, anew: bool = False) -> None:
        """Start the wait for each new duty: its entry has gone out, as one of `stored` entries.

        `anew`: also start the waits again that had begun.
        """
        for seat, since in enumerate(status.duty_since):
            if anew or self._since.get(seat, (-1, now))[0] != since < stored:
                self._since[seat] = since, now

    def seconds(self, status: MatchStatus, seat: int, now: float) -> float:
        """Return for how long the seat's present duty has stood; 0 if its entry is not stored yet."""
        since, when = self._since.get(seat, (-1, 0.0))
        if since != status.duty_since[seat]:
            return 0
        return max(0.0, now - when - self._level)


def tick(duties: Sequence[ClockDuty], allowance: Allowance, waited: Callable[[int], float]) -> Tick:
    """Return the clock entry that is due.

    `waited` gives the seconds for which the present duty of a seat has stood.
    """
    again = _soonest(allowance)
    for seat, due in duties:
        milliseconds = int(waited(seat) * 1000)
        for kind, after in due:
            if milliseconds >= after:
                return Tick(Post(kind, [seat, milliseconds]), 0)
            again = min(again, (after - milliseconds) / 1000)
    return Tick(None, again)


def _soonest(allowance: Allowance) -> float:
    """Return the seconds in which nothing can become due about a duty that does not stand yet."""
    fresh = new_clock(1)
    quick = allowance._replace(step=min(allowance.step, slow_step_seconds(allowance)))
    return (
        min(
            next_clock_entry(fresh, quick, 0, 0, on_turn=on_turn).after for on_turn in (False, True)
        )
        / 1000
    )
