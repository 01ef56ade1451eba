"""What everybody at the table knows of a game of dominoes, and the table of its phases."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import takewhile

from protocol.games import Hand, Piece
from protocol.games.dominoes.tiles import Ends, Line


class Phase(StrEnum):
    """Where a match stands."""

    DEAL = "deal"  # hands are to be dealt
    CALL = "call"  # lead tiles are called until somebody plays one (first hand)
    LEAD = "lead"  # the leader plays any tile (later hands)
    PLAY = "play"
    SETTLE = "settle"  # the hand is over; hands are to be shown
    OVER = "over"


# Phase and what happens in it -> the phases that may follow. What is not here is not allowed.
PHASES: dict[tuple[Phase, str], frozenset[Phase]] = {
    (Phase.DEAL, "dealt"): frozenset({Phase.CALL, Phase.LEAD}),
    (Phase.CALL, "deny"): frozenset({Phase.CALL, Phase.SETTLE}),
    (Phase.CALL, "play"): frozenset({Phase.PLAY, Phase.SETTLE}),
    (Phase.LEAD, "play"): frozenset({Phase.PLAY, Phase.SETTLE}),
    (Phase.PLAY, "play"): frozenset({Phase.PLAY, Phase.SETTLE}),
    (Phase.PLAY, "draw"): frozenset({Phase.PLAY}),
    (Phase.PLAY, "pass"): frozenset({Phase.PLAY, Phase.SETTLE}),
    (Phase.SETTLE, "settle"): frozenset({Phase.DEAL, Phase.OVER}),
    (Phase.CALL, "timeout"): frozenset({Phase.CALL, Phase.SETTLE}),
    (Phase.LEAD, "timeout"): frozenset({Phase.LEAD}),
    (Phase.PLAY, "timeout"): frozenset({Phase.PLAY}),
    (Phase.CALL, "abandon"): frozenset({Phase.DEAL}),
    (Phase.LEAD, "abandon"): frozenset({Phase.DEAL}),
    (Phase.PLAY, "abandon"): frozenset({Phase.DEAL}),
    (Phase.SETTLE, "abandon"): frozenset({Phase.DEAL}),
    (Phase.DEAL, "forfeit"): frozenset({Phase.DEAL, Phase.OVER}),
    (Phase.CALL, "forfeit"): frozenset({Phase.CALL, Phase.OVER}),
    (Phase.LEAD, "forfeit"): frozenset({Phase.LEAD, Phase.OVER}),
    (Phase.PLAY, "forfeit"): frozenset({Phase.PLAY, Phase.SETTLE, Phase.OVER}),
    (Phase.SETTLE, "forfeit"): frozenset({Phase.SETTLE, Phase.OVER}),
}


@dataclass(frozen=True)
class Event:
    """One action of the hand, with what was open when it was taken: as much as `settle` needs to
    judge it.
    """

    seat: int
    name: str  # "play", "draw", "pass", "deny" or "timeout"
    ends: Ends | None  # the open numbers before the action; None on an empty line
    piece: Piece | None = None  # the tile that was played or denied
    points: int = 0  # what it scored at once


@dataclass(frozen=True)
class Result:
    """How a hand ended."""

    winner: int | None  # with its partner, if it has one; None after a tie or a void hand
    points: int  # what the winner scored for what is left
    pips: tuple[int, ...]  # what each seat had left
    blocked: bool
    void: bool = False  # somebody misplayed: the hand does not count
    left: tuple[Hand, ...] = ()  # the tiles that each seat had left, by index
    reached: bool = False  # the winner came to the target while the hand was played, which ended it


@dataclass(frozen=True)
class State:
    """Public knowledge only: hands appear as numbers of hidden tiles."""

    phase: Phase
    hand: int  # number of the hand, from 1; 0 before the first deal
    scores: tuple[int, ...]  # without what was scored in a hand that is not settled
    hidden: tuple[int, ...]  # tiles in each hand, also of a seat that left in this hand
    stock: int  # tiles in the stock
    to_act: int | None = None
    line: Line = ()
    events: tuple[Event, ...] = ()  # the actions of this hand, oldest first
    called: int = 0  # how many lead tiles every seat has denied
    leader: int | None = None  # who led this hand; between hands, who led the last
    result: Result | None = None  # of the last hand that was settled
    out: frozenset[int] = frozenset()  # seats that have left for good

    @property
    def ends(self) -> Ends | None:
        """The open numbers, left and right; None on an empty line."""
        return (self.line[0][0], self.line[-1][1]) if self.line else None

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that have not left, ascending."""
        return _others(len(self.scores), self.out)

    @property
    def passes(self) -> int:
        """How many seats have passed one after the other up to now. Passes of seats that left since
        do not count.
        """
        row = takewhile(lambda event: event.name == "pass", reversed(self.events))
        return sum(event.seat not in self.out for event in row)

    def after(self, seat: int) -> int:
        """Whose turn comes after this seat's, whether that seat has left or not."""
        return next((later for later in self.present if later > seat), self.present[0])

    @cached_property
    def played(self) -> frozenset[Piece]:
        """All tiles in the line."""
        return frozenset(
            event.piece for event in self.events if event.piece is not None and event.name == "play"
        )


@lru_cache(maxsize=64)
def _others(seats: int, out: frozenset[int]) -> tuple[int, ...]:
    """All seats but these: asked for with every action, and seldom another answer."""
    return tuple(seat for seat in range(seats) if seat not in out)
