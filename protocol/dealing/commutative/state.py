"""Public half of a commutative deal, as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from protocol.crypto.group import Point, Scalar
from protocol.crypto.hashing import digest
from protocol.dealing import DealResult, Duty, NoLooseCards
from protocol.dealing.card_state import CardState, piece_points, pieces_by_point
from protocol.dealing.commutative.stages import STAGES, CommutativeStage
from protocol.dealing.stages import stage_duties
from protocol.fast_replace import replace
from protocol.games import Hand, Piece


def key_commitment(deal_id: bytes, seat: int, key: Scalar, salt: bytes) -> bytes:
    """Return the commitment that a seat posts before the first envelope."""
    return digest("envelope key", deal_id, seat, key.encoded, salt)


class Pack(NamedTuple):
    """Deck after one seat has put its envelope on every card and shuffled."""

    seat: int
    at: int
    deck: tuple[Point, ...]


class Unwrapping(NamedTuple):
    """Removal of one seat's envelope from one card."""

    seat: int
    at: int
    card: int
    before: Point
    after: Point


class ShownCard(NamedTuple):
    """Piece that a holder claims for a card; only the opened keys show whether the claim is
    true.
    """

    seat: int
    at: int
    piece: Piece


class Protest(NamedTuple):
    """Protest of a seat that a card is wrong; `at` is the log number of the entry."""

    seat: int
    at: int


@dataclass(frozen=True)
class CommutativeState(CardState, NoLooseCards):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: CommutativeStage = CommutativeStage.COMMIT
    turn: int = -1
    posted: frozenset[int] = frozenset()  # seats that have done their duty of the present stage
    commitments: Mapping[int, bytes] = field(default_factory=dict)  # commitments to keys, by seat
    packs: tuple[Pack, ...] = ()
    # By requested card: the point that is left after all removals so far.
    points: Mapping[int, Point] = field(default_factory=dict)
    unwrappings: tuple[Unwrapping, ...] = ()
    shown: Mapping[int, ShownCard] = field(default_factory=dict)  # claims, by card
    protest: Protest | None = None
    keys: Mapping[int, Scalar] = field(default_factory=dict)  # opened keys, by seat
    result: DealResult | None = None

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that take part, ascending."""
        return self.context.present

    @property
    def ready(self) -> bool:
        """True if all requested cards have reached their holders and no step is under way."""
        return self.stage is CommutativeStage.READY

    @property
    def deck(self) -> tuple[Point, ...]:
        """Cards as last packed; before the first pack, the points of the pieces."""
        return self.packs[-1].deck if self.packs else piece_points(self.context.piece_count)

    def is_hand(self, cards: list[int]) -> bool:
        """Check that the cards are a full hand: the right number from each pile."""
        piles = enumerate(self.context.piles)
        return all(
            pile.hand_size == len(set(cards) & set(self.context.pile_cards(number)))
            for number, pile in piles
        )

    @property
    def turned_up(self) -> Hand:
        """Pieces that were turned up for everybody, in order."""
        known = pieces_by_point(self.context.piece_count)
        return tuple(
            known[self.points[card]] for card in self.open_cards if self.points[card] in known
        )

    @property
    def contradicts_itself(self) -> bool:
        """True if a lie is visible to everybody: an open card is no piece, or a piece appears
        twice.
        """
        known = pieces_by_point(self.context.piece_count)
        seen = [known.get(self.points[card]) for card in self.open_cards]
        seen += [shown.piece for shown in self.shown.values()]
        return None in seen or len(set(seen)) < len(seen)

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""
        waiting = (seat for seat in self.present if seat not in self.posted)
        return stage_duties(STAGES[self.stage], waiting, self.turn)

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""
        row = STAGES[self.stage]
        packed = (
            60 * len(self.packs) // len(self.present) if self.stage is CommutativeStage.PACK else 0
        )
        return row.progress_key, row.percent + packed

    def enter_stage(self, stage: CommutativeStage, at: int) -> Self:
        """Return the state at the beginning of `stage`."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset())
