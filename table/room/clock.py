"""When the table has something to say about time. Pure: how long it has waited comes in, what to post comes out."""

from typing import NamedTuple

from protocol.dealing import TABLE, Post
from protocol.match.clock import Clock, due
from protocol.match.state import Match


class Tick(NamedTuple):
    """What to post now, if anything, and in how many seconds to ask again at the latest."""

    post: Post | None
    again: float


def tick(match: Match, waited: float) -> Tick:
    """Where the clock stands when the present duties have stood for `waited` seconds."""
    milliseconds = int(waited * 1000)
    again = _soonest(match)
    for seat in {duty.author: None for duty in match.duties() if duty.author != TABLE}:
        entry = match.due(seat)
        assert entry is not None
        if milliseconds >= entry.after:
            return Tick(Post(entry.kind, [seat, milliseconds]), 0)
        again = min(again, entry.after / 1000 - waited)
    return Tick(None, again)


def _soonest(match: Match) -> float:
    """Seconds in which nothing can become due about a duty that does not stand yet."""
    fresh, allowance = Clock((0,), (0,)), match.setup.allowance
    return min(due(fresh, allowance, 0, 0, on_turn=on_turn).after for on_turn in (False, True)) / 1000
