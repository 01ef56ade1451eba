"""View of one match for a seat or a spectator, and narrations of entries."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.view.phrase import Phrase

if TYPE_CHECKING:  # narrations need no board modules
    from protocol.view.board import Board, Offer, PieceView, SeatSummary


@dataclass(frozen=True)
class SeatView:
    """A seat, as everybody sees it.

    The fields from `since` on come from the client, and are None if the client does not have them.
    """

    seat: int
    name: str
    fingerprint: str  # short form
    game: "SeatSummary"
    since: int | None = None  # Unix time of the previous match with this person
    connected: bool | None = None
    said: str | None = None  # newest remark
    # milliseconds to the table and back, as the table reports, in simultaneous play
    trip: int | None = None


@dataclass(frozen=True)
class TurnView:
    """The turn of one seat."""

    seat: int
    since: int  # log number of the entry that began the turn
    due: str | None = None  # kind of the next clock entry about the seat; None without a table
    after: int = 0  # wait before this entry, in milliseconds since the turn began
    extensions: int = 0  # extensions left to this seat
    waited: int = 0  # milliseconds passed, by the client's clock
    # milliseconds after which the turn ends without an extension; None without a table
    ends: int | None = None
    sure: bool = True  # False: the turn may have begun earlier than `waited` says


@dataclass(frozen=True)
class DealView:
    """The deal in progress."""

    number: int  # from 1
    doing: Phrase
    percent: int


@dataclass(frozen=True)
class FaultView:
    """A proven fault."""

    seat: int
    entry: int
    code: str


@dataclass(frozen=True)
class TrustView:
    """Results of the checks, and values to compare with other people."""

    checked: int  # number of entries checked
    faults: tuple[FaultView, ...]
    roster: str | None  # roster words, which people read to each other
    table: str | None  # short fingerprint of the table's key
    dealing: str
    options: tuple[tuple[str, int | str], ...]  # options of the dealing
    saved: str | None = None  # path of the client's own log file


@dataclass(frozen=True)
class View:
    """Data that a screen shows of a match. `you` is None for a spectator."""

    version: int
    match: str
    game: str
    number: int  # number of entries folded
    stage: str
    seats: tuple[SeatView, ...]
    you: int | None
    board: "Board | None"  # None until the game has begun
    hand: "tuple[PieceView, ...]"
    made: Phrase | None  # value of the hand, such as a pair, if it has one
    offers: "tuple[Offer, ...]"
    turns: tuple[TurnView, ...]
    deal: DealView | None
    result: tuple[Phrase, ...]  # end of the last hand
    winners: tuple[int, ...]  # winners of the match: several for a team
    trust: TrustView
    # offer to sit out or to come back, at anybody's turn: an entry of this kind, not an action
    sit: "Offer | None" = None
    prompt: Phrase | None = None  # what the seat can do now, as a sentence; None without offers
    unfit: Phrase | None = None  # reason why the other pieces cannot be played now
    ending: Phrase | None = None  # reason of the end, once the game is over
    simultaneous: bool = False  # all seats act at the same time, without turns


@dataclass(frozen=True)
class Narration:
    """An effect of an entry, or a part of it."""

    entry: int
    author: int
    kind: str
    phrase: Phrase
