"""When the table has something to say about time. Pure: how long it has waited comes in, what to
post comes out.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from protocol.dealing import TABLE, Post
from protocol.match.clock import SLOW, ClockDue, new_clock, next_clock_entry, slow_step_seconds
from protocol.match.state import Match


class Tick(NamedTuple):
    """What to post now, if anything, and in how many seconds to ask again at the latest."""

    post: Post | None
    again: float


class WaitTimes:
    """Since when each seat has been waited for."""

    def __init__(self) -> None:
        # by seat: the entry that brought its duty; when it went out
        self._for: dict[int, tuple[int, float]] = {}

    def begin(self, match: Match, stored: int, now: float, anew: bool) -> None:
        """What has become a seat's duty is waited for from when it went out: when so many entries
        are stored.
        """
        for seat in range(match.setup.seats):
            since = match.duty_since(seat)
            if anew or self._for.get(seat, (-1, now))[0] != since < stored:
                self._for[seat] = since, now

    def seconds(self, match: Match, seat: int, now: float) -> float:
        """For how many seconds this seat's present duty has stood; 0 if what brought it is not on
        disk yet.

        What may have been held, on its way to the seat and back, is not the seat's time.
        """
        since, when = self._for.get(seat, (-1, 0.0))
        if since != match.duty_since(seat):
            return 0
        return max(0.0, now - when - match.setup.allowance.level / 1000)


def tick(match: Match, waited: Callable[[int], float]) -> Tick:
    """Where the clock stands when the present duty of each seat has stood for so many seconds."""
    again = _soonest(match)
    for seat in {duty.author: None for duty in match.duties() if duty.author != TABLE}:
        milliseconds = int(waited(seat) * 1000)
        for kind, after in _words(match, seat):
            if milliseconds >= after:
                return Tick(Post(kind, [seat, milliseconds]), 0)
            again = min(again, (after - milliseconds) / 1000)
    return Tick(None, again)


def _words(match: Match, seat: int) -> Iterator[ClockDue]:
    """What there may be to say about the time of a seat that has a duty."""
    slow, next_clock_entry = match.slow_due_after(seat), match.next_clock_entry(seat)
    assert next_clock_entry is not None
    if slow is not None:
        yield ClockDue(SLOW, slow)
    yield next_clock_entry


def _soonest(match: Match) -> float:
    """Seconds in which nothing can become due about a duty that does not stand yet."""
    fresh, allowance = new_clock(1), match.setup.allowance
    quick = allowance._replace(step=min(allowance.step, slow_step_seconds(allowance)))
    return (
        min(
            next_clock_entry(fresh, quick, 0, 0, on_turn=on_turn).after for on_turn in (False, True)
        )
        / 1000
    )
