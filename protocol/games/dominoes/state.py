"""What everybody at the table knows of a game of dominoes, and the table of its phases."""

from dataclasses import dataclass
from enum import StrEnum

from protocol.games import Piece
from protocol.games.dominoes.tiles import Ends, Tile


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
}


@dataclass(frozen=True)
class Event:
    """One action of the hand, with what was open when it was taken."""

    seat: int
    name: str  # "play", "draw", "pass" or "deny"
    at: int  # the entry's log number
    ends: Ends | None  # the open numbers before the action; None on an empty line
    piece: Piece | None = None  # the tile that was played or denied
    end: int | None = None  # where it was played: 0 left, 1 right


@dataclass(frozen=True)
class Result:
    """How a hand ended."""

    winner: int | None  # None after a tie or a void hand
    points: int  # what the winner scored
    pips: tuple[int, ...]  # what each seat had left
    blocked: bool
    void: bool = False  # somebody misplayed: the hand does not count


@dataclass(frozen=True)
class State:
    """Public knowledge only: hands appear as numbers of hidden tiles."""

    phase: Phase
    hand: int  # number of the hand, from 1; 0 before the first deal
    scores: tuple[int, ...]
    hidden: tuple[int, ...]  # tiles in each hand
    stock: int  # tiles in the stock
    to_act: int | None = None
    line: tuple[Tile, ...] = ()  # left to right, each tile as it lies
    events: tuple[Event, ...] = ()  # of this hand, oldest first
    called: int = 0  # how many lead tiles every seat has denied
    passes: int = 0  # passes in a row
    leader: int | None = None  # who led this hand; between hands, who led the last
    result: Result | None = None  # of the last hand that was settled

    @property
    def ends(self) -> Ends | None:
        """The open numbers, left and right; None on an empty line."""
        return (self.line[0][0], self.line[-1][1]) if self.line else None

    @property
    def played(self) -> frozenset[Piece]:
        """All tiles in the line."""
        return frozenset(event.piece for event in self.events if event.piece is not None and event.name == "play")
