"""The public half of a commutative deal as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol.crypto.group import Point, Scalar
from protocol.crypto.hashing import digest
from protocol.dealing import DealResult, Duty, NoLooseCards
from protocol.dealing.card_state import CardState, piece_points, pieces_by_point
from protocol.dealing.commutative.stages import STAGES, CommutativeStage, DutyHolder
from protocol.fast_replace import replace
from protocol.games import Hand, Piece


def key_commitment(deal_id: bytes, seat: int, key: Scalar, salt: bytes) -> bytes:
    """What a seat posts before the first envelope is made."""
    return digest("envelope key", deal_id, seat, key.encoded, salt)


class Pack(NamedTuple):
    """One seat's packing of the whole deck."""

    seat: int
    at: int
    deck: tuple[Point, ...]


class Unwrapping(NamedTuple):
    """One seat's envelope taken off one card."""

    seat: int
    at: int
    card: int
    before: Point
    after: Point


class ShownCard(NamedTuple):
    """A card that its holder says to be a piece; whether it is, only the opened keys tell."""

    seat: int
    at: int
    piece: Piece


class Protest(NamedTuple):
    """A seat says that something does not open."""

    seat: int
    at: int


@dataclass(frozen=True)
class CommutativeState(CardState, NoLooseCards):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: CommutativeStage = CommutativeStage.COMMIT
    turn: int = -1
    posted: frozenset[int] = frozenset()  # who has done the present stage
    commitments: Mapping[int, bytes] = field(default_factory=dict)  # by seat
    packs: tuple[Pack, ...] = ()
    # card -> what is left of it, for cards asked for so far
    points: Mapping[int, Point] = field(default_factory=dict)
    unwrappings: tuple[Unwrapping, ...] = ()
    shown: Mapping[int, ShownCard] = field(default_factory=dict)  # by card
    protest: Protest | None = None
    keys: Mapping[int, Scalar] = field(default_factory=dict)  # opened, by seat
    result: DealResult | None = None

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that take part, ascending."""
        return self.context.present

    @property
    def ready(self) -> bool:
        """All cards asked for have reached their holders and nothing is under way."""
        return self.stage is CommutativeStage.READY

    @property
    def deck(self) -> tuple[Point, ...]:
        """The cards as they were packed last; before that, the faces."""
        return self.packs[-1].deck if self.packs else piece_points(self.context.piece_count)

    def is_hand(self, cards: list[int]) -> bool:
        """Whether there are as many of each pile as every seat is dealt at the start."""
        piles = enumerate(self.context.piles)
        return all(
            pile.hand_size == len(set(cards) & set(self.context.pile_cards(number)))
            for number, pile in piles
        )

    @property
    def turned_up(self) -> Hand:
        """The pieces that were turned up for everybody, in order."""
        known = pieces_by_point(self.context.piece_count)
        return tuple(
            known[self.points[card]] for card in self.open_cards if self.points[card] in known
        )

    @property
    def contradicts_itself(self) -> bool:
        """Whether everybody can see a lie: a card that was turned up is no piece, or a piece lies
        there twice.
        """
        known = pieces_by_point(self.context.piece_count)
        seen = [known.get(self.points[card]) for card in self.open_cards]
        seen += [shown.piece for shown in self.shown.values()]
        return None in seen or len(set(seen)) < len(seen)

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""
        row = STAGES[self.stage]
        if row.duty_holder is DutyHolder.TURN:
            return (Duty(self.turn, row.kind),)
        waiting = self.present if row.duty_holder is DutyHolder.EVERYONE else ()
        return tuple(Duty(seat, row.kind) for seat in waiting if seat not in self.posted)

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        row = STAGES[self.stage]
        packed = (
            60 * len(self.packs) // len(self.present) if self.stage is CommutativeStage.PACK else 0
        )
        return row.progress_key, row.percent + packed

    def enter_stage(self, stage: CommutativeStage, at: int, **changes: Any) -> "CommutativeState":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset(), **changes)
