"""When the table has something to say about time. Pure: how long it has waited comes in, what to post comes out."""

from collections.abc import Callable
from typing import NamedTuple

from protocol.dealing import TABLE, Post
from protocol.match.clock import due, new_clock
from protocol.match.state import Match


class Tick(NamedTuple):
    """What to post now, if anything, and in how many seconds to ask again at the latest."""

    post: Post | None
    again: float


def tick(match: Match, waited: Callable[[int], float]) -> Tick:
    """Where the clock stands when the present duty of each seat has stood for so many seconds."""
    again = _soonest(match)
    for seat in {duty.author: None for duty in match.duties() if duty.author != TABLE}:
        entry = match.due(seat)
        assert entry is not None
        milliseconds = int(waited(seat) * 1000)
        if milliseconds >= entry.after:
            return Tick(Post(entry.kind, [seat, milliseconds]), 0)
        again = min(again, (entry.after - milliseconds) / 1000)
    return Tick(None, again)


def _soonest(match: Match) -> float:
    """Seconds in which nothing can become due about a duty that does not stand yet."""
    fresh, allowance = new_clock(1), match.setup.allowance
    return min(due(fresh, allowance, 0, 0, on_turn=on_turn).after for on_turn in (False, True)) / 1000
