"""The fold of a match as far as the table needs it between entries: plain values.

The table asks these after each entry, whoever folds the match.
"""

from typing import NamedTuple

from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.match.clock import SLOW, ClockDue
from protocol.match.state import Match, MatchStage


class MatchStatus(NamedTuple):
    """A match after its newest entry."""

    next_number: int  # number of the entry that comes next
    over: bool
    playing: bool  # seats are asked for moves; False: seating, dealing or receipts
    simultaneous: bool  # seats act independently of each other now
    gone: frozenset[int]  # seats that have left
    duty_since: tuple[int, ...]  # by seat: number of the entry that created its present duty
    late: int  # actions so far that others overtook
    faults: tuple[Code, ...]
    may_end: bool = True  # the fold accepts an end by the table: the game is not decided yet


class ClockDuty(NamedTuple):
    """A seat that owes an entry, and the clock entries that the table may post about its wait."""

    seat: int
    due: tuple[ClockDue, ...]


def status_of(match: Match) -> MatchStatus:
    """Return the status of `match`."""
    return MatchStatus(
        next_number=match.next_number,
        over=match.over,
        playing=match.stage is MatchStage.PLAYING,
        simultaneous=match.active_simultaneous is not None,
        gone=match.gone,
        duty_since=tuple(map(match.duty_since, range(match.setup.seats))),
        late=sum(match.late_counts),
        faults=tuple(fault.code for fault in match.faults),
        may_end=match.stage not in (MatchStage.RECEIPTS, MatchStage.OVER),
    )


def clock_duties(match: Match) -> tuple[ClockDuty, ...]:
    """Return the seats that owe an entry, in the order of their duties."""
    seats = {duty.author: None for duty in match.duties() if duty.author != TABLE}
    return tuple(ClockDuty(seat, _clock_entries(match, seat)) for seat in seats)


def _clock_entries(match: Match, seat: int) -> tuple[ClockDue, ...]:
    slow, following = match.slow_due_after(seat), match.next_clock_entry(seat)
    assert following is not None
    return (following,) if slow is None else (ClockDue(SLOW, slow), following)
