"""Public half of a verified deal, as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from protocol.crypto.elgamal import Ciphertext, clear_ciphertext, combine_shares
from protocol.crypto.group import Point, Scalar
from protocol.crypto.proof_context import ProofPlace
from protocol.dealing import DealResult, Duty
from protocol.dealing.card_state import CardState, piece_points, pieces_by_point
from protocol.dealing.facts import NOBODY
from protocol.dealing.stages import stage_duties
from protocol.dealing.verified.options import stand_in_quorum
from protocol.dealing.verified.stages import STAGES, VerifiedStage
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Card, CardOperation


@dataclass(frozen=True)
class KeySharing:
    """Sharing of one seat's key: commitments, sealed shares, and shares opened after
    accusations.
    """

    commitments: tuple[Point, ...]  # A_1 ... A_q-1
    sealed: Mapping[int, bytes]  # sealed shares, by receiver
    accused_by: frozenset[int] = frozenset()  # receivers that reject their share
    answered: Mapping[int, Scalar] = field(default_factory=dict)  # opened shares, by receiver


@dataclass(frozen=True)
class HideStep:
    """Loose cards to be shuffled as one pile by these seats in turn; by all seats if `by` is
    empty.
    """

    cards: tuple[Card, ...]
    by: tuple[int, ...]


@dataclass(frozen=True)
class ShareRequest:
    """Loose cards whose shares are requested, for one seat or for `EVERYBODY`."""

    cards: tuple[Card, ...]
    receiver: int


Step = HideStep | ShareRequest


@dataclass(frozen=True)
class VerifiedState(CardState):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: VerifiedStage = VerifiedStage.KEYS
    turn: int = 0
    posted: frozenset[int] = frozenset()  # seats that have done their duty of the present stage
    keys: Mapping[int, Point] = field(default_factory=dict)  # public keys X_j, by seat
    # by dealer, the seat whose key is shared
    sharings: Mapping[int, KeySharing] = field(default_factory=dict)
    departed: frozenset[int] = frozenset()  # seats that have left
    # Seats that have not left, but whose hands the others open at the end.
    silent_seats: frozenset[int] = frozenset()
    replaced_seat: int = 0  # seat that the others stand in for; valid in stage STAND_IN
    # By seat that stands in: its part of each card.
    stand_ins: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)
    key: Point | None = None  # joint key X = ΣX_j
    deck: tuple[Ciphertext, ...] = ()
    pile: tuple[int, ...] = ()  # cards that are being shuffled
    pending_piles: tuple[tuple[int, ...], ...] = ()  # piles to be shuffled next
    shuffles: int = 0  # number of accepted shuffles
    # Seats that shuffle the present pile, ascending; empty: all seats do.
    lone_shufflers: tuple[int, ...] = ()
    pending_steps: tuple[
        CardOperation | Step, ...
    ] = ()  # operations and steps of loose cards still to be done, in order
    # Data of loose cards, by card. First: seats that have looked at the card.
    card_readers: Mapping[Card, frozenset[int]] = field(default_factory=dict)
    # Seats whose share of the card may be known to others.
    given_shares: Mapping[Card, frozenset[int]] = field(default_factory=dict)
    # Number of shuffles in the deal when the card was last hidden.
    newest: Mapping[Card, int] = field(default_factory=dict)
    # card -> seat -> its share
    shares: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)
    dealt: bool = False  # True once every seat has received its first hand
    # Seats that show their hands at the close; None: the deal is not yet closing.
    showing_seats: frozenset[int] | None = None
    shown: Mapping[int, Piece] = field(default_factory=dict)  # card -> piece
    result: DealResult | None = None

    @property
    def seat_count(self) -> int:
        """Number of seats in the match, including seats that have left."""
        return self.context.seat_count

    @property
    def ready(self) -> bool:
        """True if all requested cards have reached their holders and no step is under way."""
        return self.stage is VerifiedStage.READY

    @property
    def is_stuck(self) -> bool:
        """True if parts are missing and fewer seats than the quorum are left to give them."""
        return (
            self.stage is VerifiedStage.STAND_IN
            and len(set(self.present) - {self.replaced_seat}) < self.quorum
        )

    @property
    def turned_up(self) -> Hand:
        """Pieces that were turned up for everybody, in order, then the heads of all own decks."""
        heads = (
            card for number in range(len(self.context.piles)) for card in self.deck_head(number)
        )
        return tuple(self.shown[card] for card in (*self.open_cards, *heads) if card in self.shown)

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that are public now."""
        return {
            card: piece for card, piece in self.shown.items() if card in self.context.loose_cards
        }

    @property
    def discarded(self) -> tuple[int, ...]:
        """Cards that were put away, ascending; only the seat that put a card away has seen its
        piece.
        """
        return tuple(sorted(card for card, holder in self.holders.items() if holder == NOBODY))

    @property
    def quorum(self) -> int:
        """Number of shares that replace a key; 0 if keys are not shared."""
        return stand_in_quorum(self.context.options, len(self.context.present))

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that take part in the deal and have not left, ascending."""
        return tuple(seat for seat in self.context.present if seat not in self.departed)

    @property
    def shufflers(self) -> tuple[int, ...]:
        """Seats that shuffle the present pile.

        If all `lone_shufflers` have left, all present seats shuffle.
        """
        return tuple(seat for seat in self.present if seat in self.lone_shufflers) or self.present

    @property
    def is_loose(self) -> bool:
        """True if the present pile consists of loose cards."""
        return bool(self.pile) and self.pile[0] in self.context.loose_cards

    def readers_of(self, card: Card) -> frozenset[int]:
        """Return the seats that have looked at a loose card since it was last shuffled."""
        return self.card_readers.get(card, frozenset())

    def owed(self, seat: int) -> tuple[int, ...]:
        """Return the requested cards of other holders for which `seat` has not given its share."""
        return tuple(card for card in super().owed(seat) if seat not in self.shares.get(card, ()))

    @property
    def seats_to_show(self) -> frozenset[int]:
        """Seats that must show their hands now."""
        return self.showing_seats or frozenset()

    def receivers(self, dealer: int) -> list[int]:
        """Return the seats that receive a share of the dealer's key."""
        return [seat for seat in self.context.present if seat != dealer]

    def proof_place(self, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        """Return the place to which a proof of `seat` is bound; the proof is invalid anywhere
        else.
        """
        return ProofPlace(
            self.context.deal_id, seat, self.context.identities[seat], purpose, position
        )

    def piece_of(self, card: int, *own_share: Point) -> Piece | None:
        """Return the piece of a card, from all posted shares and the holder's `own_share` if given.

        None: the result is no piece of the deck.
        """
        opened = combine_shares(self.deck[card], [*self.shares[card].values(), *own_share])
        return pieces_by_point(self.context.piece_count).get(opened)

    def is_dead(self, card: int) -> bool:
        """Check that a card belongs to the own deck of a seat that has left or does not take
        part.
        """
        owner = self.context.owners.get(card)
        return owner is not None and owner not in self.present

    def deck_head(self, pile: int) -> tuple[int, ...]:
        """Return the head of an own deck: cards turned up when the deck is dealt, in order."""
        cards = self.context.pile_cards(pile)
        return tuple(cards[place] for place in self.context.piles[pile].face_up_places)

    def cards_to_turn_up(self, seat: int) -> tuple[int, ...]:
        """Return the cards at the heads of the seat's own decks that it has not yet turned up, in
        order.
        """
        own = (
            number
            for number, pile in enumerate(self.context.piles)
            if pile.is_own_deck and pile.owner == seat
        )
        return tuple(
            card for number in own for card in self.deck_head(number) if card not in self.shown
        )

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""
        waiting = (seat for seat in self.present if seat not in self.posted)
        return stage_duties(STAGES[self.stage], waiting, self.turn, self._is_concerned)

    def _is_concerned(self, seat: int) -> bool:
        """Check that the present stage, one of `DutyHolder.CONCERNED`, has a duty for a seat."""
        match self.stage:
            case VerifiedStage.ANSWER:
                return bool(self.sharings[seat].accused_by)
            case VerifiedStage.SHARES:
                return bool(self.owed(seat))
            case VerifiedStage.TURN_UP:
                return bool(self.cards_to_turn_up(seat))
            case VerifiedStage.STAND_IN:
                return seat != self.replaced_seat
        return seat in self.seats_to_show - self.silent_seats and bool(self.hidden_of(seat))

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""
        spec = STAGES[self.stage]
        percent = spec.percent
        if self.stage is VerifiedStage.SHUFFLE:
            rest = 1 + len(self.pending_piles)
            piles = rest if self.dealt else len(self.first_piles())
            turns = (piles - rest) * len(self.shufflers) + self.shufflers.index(self.turn)
            percent += 65 * turns // (piles * len(self.shufflers))
        return spec.progress_key, percent

    def first_piles(self) -> tuple[tuple[int, ...], ...]:
        """Return the cards of each pile that is shuffled at the start; loose piles are not."""
        piles = [
            self.context.pile_cards(number)
            for number, pile in enumerate(self.context.piles)
            if not pile.loose
        ]
        return tuple(tuple(pile) for pile in piles if not self.is_dead(pile[0]))

    def enter_stage(self, stage: VerifiedStage, at: int) -> Self:
        """Return the state at the beginning of `stage`."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset())

    def first_hands(self) -> dict[int, int]:
        """Return the seat for each card of the first hands.

        The first cards of every pile go to the seats in turn, including seats that have left.
        """
        seats, hands = self.context.present, dict[int, int]()
        for number, pile in enumerate(self.context.piles):
            cards = self.context.pile_cards(number)[: pile.hand_size * len(seats)]
            hands |= {card: seats[place // pile.hand_size] for place, card in enumerate(cards)}
        return hands

    def first_deck(self) -> tuple[Ciphertext, ...]:
        """Return the deck that the first seat shuffles: every piece unencrypted, in order."""
        return _clear_deck(self.context.piece_count)


@lru_cache(maxsize=8)
def _clear_deck(pieces: int) -> tuple[Ciphertext, ...]:
    return tuple(clear_ciphertext(face) for face in piece_points(pieces))
