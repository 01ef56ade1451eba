"""Public state of a game of dominoes, and the table of its phases."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import takewhile

from protocol.games import Hand, Piece
from protocol.games.dominoes.layout import EMPTY, Ends, Layout
from protocol.games.dominoes.tiles import Line


class DominoesPhase(StrEnum):
    """Phase of a match."""

    DEAL = "deal"  # hands are to be dealt
    CALL = "call"  # first hand: lead tiles are called until a seat plays one
    LEAD = "lead"  # later hands: the leader plays any tile
    PLAY = "play"
    SETTLE = "settle"  # the hand is over, and hands are to be shown
    OVER = "over"


# Maps a phase and an event in it to the phases that may follow. Other events are illegal in this
# phase.
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
    """Action of the hand, with the open ends before it: everything that `settle` needs in order to
    judge the action.
    """

    seat: int
    name: str  # "play", "draw", "pass", "deny" or "timeout"
    ends: Ends | None  # the open ends before the action; None on an empty line
    piece: Piece | None = None  # the tile that was played or denied
    points: int = 0  # points that it scored at once


@dataclass(frozen=True)
class DominoesResult:
    """Result of a hand."""

    winner: int | None  # a partner wins with it; None after a tie or a void hand
    points: int  # points of the winner for the tiles that the others have left
    pips: tuple[int, ...]  # pips that each seat has left
    blocked: bool
    void: bool = False  # the hand does not count, because of a misplay
    left: tuple[Hand, ...] = ()  # tiles that each seat has left, by index
    reached: bool = False  # the winner ended the hand by reaching the target during play
    unled: bool = False  # nobody led, because every call lapsed: nobody scores


@dataclass(frozen=True)
class DominoesState:
    """Public state of a match: of the hands it has only the number of hidden tiles."""

    phase: DominoesPhase
    hand: int  # number of the hand, from 1; 0 before the first deal
    scores: tuple[int, ...]  # without the points of a hand that is not settled yet
    # number of tiles in each hand, also for a seat that left during this hand
    hidden: tuple[int, ...]
    stock: int  # number of tiles in the stock
    to_act: int | None = None
    layout: Layout = EMPTY
    events: tuple[PlayEvent, ...] = ()  # the actions of this hand, oldest first
    denials: int = 0  # number of lead tiles that every seat has denied
    leader: int | None = None  # leader of this hand; between hands, leader of the last hand
    result: DominoesResult | None = None  # result of the last settled hand
    out: frozenset[int] = frozenset()  # seats that have left for good

    @property
    def line(self) -> Line:
        return self.layout.line

    @property
    def ends(self) -> Ends | None:
        """Open ends; None on an empty line."""
        return self.layout.ends

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that have not left, in ascending order."""
        return _present_seats(len(self.scores), self.out)

    @property
    def passes(self) -> int:
        """Number of consecutive passes up to now, without passes of seats that have left since."""
        row = takewhile(lambda event: event.name == "pass", reversed(self.events))
        return sum(event.seat not in self.out for event in row)

    def after(self, seat: int) -> int:
        """Seat whose turn follows this seat's turn, even if `seat` has left."""
        return next((later for later in self.present if later > seat), self.present[0])

    @cached_property
    def played(self) -> frozenset[Piece]:
        """Set of all tiles on the table."""
        return frozenset(
            event.piece for event in self.events if event.piece is not None and event.name == "play"
        )


@lru_cache(maxsize=64)
def _present_seats(seats: int, out: frozenset[int]) -> tuple[int, ...]:
    """Seats that have not left. Cached: every action asks for it, and the answer seldom changes."""
    return tuple(seat for seat in range(seats) if seat not in out)
