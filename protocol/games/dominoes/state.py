"""What everybody at the table knows of a game of dominoes, and the table of its phases."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import takewhile

from protocol.games import Hand, Piece
from protocol.games.dominoes.tiles import Ends, Line


class DominoesPhase(StrEnum):
    """Where a match stands."""

    DEAL = "deal"  # hands are to be dealt
    CALL = "call"  # lead tiles are called until somebody plays one (first hand)
    LEAD = "lead"  # the leader plays any tile (later hands)
    PLAY = "play"
    SETTLE = "settle"  # the hand is over; hands are to be shown
    OVER = "over"


# Phase and what happens in it -> the phases that may follow. What is not here is not allowed.
PHASES: dict[tuple[DominoesPhase, str], frozenset[DominoesPhase]] = {
    (DominoesPhase.DEAL, "dealt"): frozenset({DominoesPhase.CALL, DominoesPhase.LEAD}),
    (DominoesPhase.CALL, "deny"): frozenset({DominoesPhase.CALL, DominoesPhase.SETTLE}),
    (DominoesPhase.CALL, "play"): frozenset({DominoesPhase.PLAY, DominoesPhase.SETTLE}),
    (DominoesPhase.LEAD, "play"): frozenset({DominoesPhase.PLAY, DominoesPhase.SETTLE}),
    (DominoesPhase.PLAY, "play"): frozenset({DominoesPhase.PLAY, DominoesPhase.SETTLE}),
    (DominoesPhase.PLAY, "draw"): frozenset({DominoesPhase.PLAY}),
    (DominoesPhase.PLAY, "pass"): frozenset({DominoesPhase.PLAY, DominoesPhase.SETTLE}),
    (DominoesPhase.SETTLE, "settle"): frozenset({DominoesPhase.DEAL, DominoesPhase.OVER}),
    (DominoesPhase.CALL, "timeout"): frozenset({DominoesPhase.CALL, DominoesPhase.SETTLE}),
    (DominoesPhase.LEAD, "timeout"): frozenset({DominoesPhase.LEAD}),
    (DominoesPhase.PLAY, "timeout"): frozenset({DominoesPhase.PLAY}),
    (DominoesPhase.CALL, "abandon"): frozenset({DominoesPhase.DEAL}),
    (DominoesPhase.LEAD, "abandon"): frozenset({DominoesPhase.DEAL}),
    (DominoesPhase.PLAY, "abandon"): frozenset({DominoesPhase.DEAL}),
    (DominoesPhase.SETTLE, "abandon"): frozenset({DominoesPhase.DEAL}),
    (DominoesPhase.DEAL, "forfeit"): frozenset({DominoesPhase.DEAL, DominoesPhase.OVER}),
    (DominoesPhase.CALL, "forfeit"): frozenset({DominoesPhase.CALL, DominoesPhase.OVER}),
    (DominoesPhase.LEAD, "forfeit"): frozenset({DominoesPhase.LEAD, DominoesPhase.OVER}),
    (DominoesPhase.PLAY, "forfeit"): frozenset(
        {DominoesPhase.PLAY, DominoesPhase.SETTLE, DominoesPhase.OVER}
    ),
    (DominoesPhase.SETTLE, "forfeit"): frozenset({DominoesPhase.SETTLE, DominoesPhase.OVER}),
}


@dataclass(frozen=True)
class PlayEvent:
    """One action of the hand, with what was open when it was taken: as much as `settle` needs to
    judge it.
    """

    seat: int
    name: str  # "play", "draw", "pass", "deny" or "timeout"
    ends: Ends | None  # the open numbers before the action; None on an empty line
    piece: Piece | None = None  # the tile that was played or denied
    points: int = 0  # what it scored at once


@dataclass(frozen=True)
class DominoesResult:
    """How a hand ended."""

    winner: int | None  # with its partner, if it has one; None after a tie or a void hand
    points: int  # what the winner scored for what is left
    pips: tuple[int, ...]  # what each seat had left
    blocked: bool
    void: bool = False  # somebody misplayed: the hand does not count
    left: tuple[Hand, ...] = ()  # the tiles that each seat had left, by index
    reached: bool = False  # the winner came to the target while the hand was played, which ended it


@dataclass(frozen=True)
class DominoesState:
    """Public knowledge only: hands appear as numbers of hidden tiles."""

    phase: DominoesPhase
    hand: int  # number of the hand, from 1; 0 before the first deal
    scores: tuple[int, ...]  # without what was scored in a hand that is not settled
    hidden: tuple[int, ...]  # tiles in each hand, also of a seat that left in this hand
    stock: int  # tiles in the stock
    to_act: int | None = None
    line: Line = ()
    events: tuple[PlayEvent, ...] = ()  # the actions of this hand, oldest first
    denials: int = 0  # how many lead tiles every seat has denied
    leader: int | None = None  # who led this hand; between hands, who led the last
    result: DominoesResult | None = None  # of the last hand that was settled
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
