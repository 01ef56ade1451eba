"""One match as one seat, or a spectator, sees it; and what an entry came to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.view.phrase import Phrase

if TYPE_CHECKING:  # who tells what was done needs nothing of what lies on the table
    from protocol.view.board import Board, Offer, PieceView, SeatSummary


@dataclass(frozen=True)
class SeatView:
    """One seat, as everybody sees it. The last five are the client's own knowledge, and None
    without it.
    """

    seat: int
    name: str
    fingerprint: str  # the short one
    game: "SeatSummary"
    since: int | None = None  # Unix time of the last match before with this person
    connected: bool | None = None
    said: str | None = None  # last
    # milliseconds to the table and back, as it says, where seats act at the same time
    trip: int | None = None


@dataclass(frozen=True)
class TurnView:
    """A seat is to act in the game."""

    seat: int
    since: int  # log number of the entry since which it is
    due: str | None = None  # what the table may post next about its time; None without a table
    after: int = 0  # when: milliseconds since that entry
    extensions: int = 0  # that this seat has left
    waited: int = 0  # milliseconds that have passed, by the client's clock
    # milliseconds after which its time is over, unless it is extended; None without a table
    ends: int | None = None


@dataclass(frozen=True)
class DealView:
    """The deal that is under way."""

    number: int  # from 1
    doing: Phrase
    percent: int


@dataclass(frozen=True)
class FaultView:
    """A fault that was found."""

    seat: int
    entry: int
    code: str


@dataclass(frozen=True)
class TrustView:
    """What was checked, and whom it is to be compared with."""

    checked: int  # entries
    faults: tuple[FaultView, ...]
    roster: str | None  # the words that people read to each other
    table: str | None  # the short fingerprint of its key
    dealing: str
    options: tuple[tuple[str, int | str], ...]  # of the dealing
    saved: str | None = None  # where the client keeps its own log


@dataclass(frozen=True)
class View:
    """All that a screen shows of a match. `you` None: a spectator."""

    version: int
    match: str
    game: str
    number: int  # entries folded
    stage: str
    seats: tuple[SeatView, ...]
    you: int | None
    board: "Board | None"  # None until the game has begun
    hand: "tuple[PieceView, ...]"
    made: Phrase | None  # what the hand comes to, if it comes to something
    offers: "tuple[Offer, ...]"
    turns: tuple[TurnView, ...]
    deal: DealView | None
    result: tuple[Phrase, ...]  # how the last hand ended
    winners: tuple[int, ...]  # of the match: several where seats win together
    trust: TrustView
    # sitting out, or coming back, whoever's turn it is: an entry of that kind, no action
    sit: "Offer | None" = None


@dataclass(frozen=True)
class Narration:
    """What an entry came to, or a part of that."""

    entry: int
    author: int
    kind: str
    phrase: Phrase
