"""The public half of a verified deal as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from protocol.crypto.elgamal import Ciphertext, clear_ciphertext, combine_shares
from protocol.crypto.group import Point, Scalar
from protocol.crypto.proof_context import ProofPlace
from protocol.dealing import DealResult, Duty
from protocol.dealing.card_state import CardState, piece_points, pieces_by_point
from protocol.dealing.facts import NOBODY
from protocol.dealing.verified.options import stand_in_quorum
from protocol.dealing.verified.stages import DOING, STAGES, DutyHolder, VerifiedStage
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Card, CardOperation


@dataclass(frozen=True)
class KeySharing:
    """How one seat shared its key: the commitments, the sealed shares, and those that had to be
    opened.
    """

    commitments: tuple[Point, ...]  # A_1 ... A_q-1
    sealed: Mapping[int, bytes]  # by receiver
    accused_by: frozenset[int] = frozenset()  # receivers that found their share wrong
    answered: Mapping[int, Scalar] = field(default_factory=dict)  # by receiver


@dataclass(frozen=True)
class HideStep:
    """These loose cards are hidden anew, as one pile, by these seats in turn; by all, if none is
    named.
    """

    cards: tuple[Card, ...]
    by: tuple[int, ...]


@dataclass(frozen=True)
class ShareRequest:
    """The shares of these loose cards are asked for, for one seat or for `EVERYBODY`."""

    cards: tuple[Card, ...]
    receiver: int


Step = HideStep | ShareRequest


@dataclass(frozen=True)
class VerifiedState(CardState):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: VerifiedStage = VerifiedStage.KEYS
    turn: int = 0
    posted: frozenset[int] = frozenset()  # who has done the present stage
    keys: Mapping[int, Point] = field(default_factory=dict)  # X_j by seat
    sharings: Mapping[int, KeySharing] = field(default_factory=dict)  # by the seat whose key it is
    departed: frozenset[int] = frozenset()  # seats that have left
    # seats whose hands the others open at the end, though they have not left
    silent_seats: frozenset[int] = frozenset()
    replaced_seat: int = 0  # the seat that the others stand in for, in that stage
    # by seat: its part of each card
    stand_ins: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)
    key: Point | None = None  # X = ΣX_j
    deck: tuple[Ciphertext, ...] = ()
    pile: tuple[int, ...] = ()  # the cards being shuffled
    pending_piles: tuple[tuple[int, ...], ...] = ()  # those to be shuffled after them
    shuffles: int = 0  # how many have been accepted
    # the seats that shuffle what is being shuffled, ascending, if not all do
    lone_shufflers: tuple[int, ...] = ()
    pending_steps: tuple[
        CardOperation | Step, ...
    ] = ()  # of loose cards, what is still to be done, in order
    # Of loose cards, all by card:
    # the seats that have looked at it
    card_readers: Mapping[Card, frozenset[int]] = field(default_factory=dict)
    # seats whose share of it others may know
    given_shares: Mapping[Card, frozenset[int]] = field(default_factory=dict)
    # how many shuffles there were when it was hidden last
    newest: Mapping[Card, int] = field(default_factory=dict)
    # card -> seat -> its share
    shares: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)
    dealt: bool = False  # whether every seat has had its first hand
    # the seats that show their hands at the end; None: it is not the end yet
    showing_seats: frozenset[int] | None = None
    shown: Mapping[int, Piece] = field(default_factory=dict)  # card -> piece
    result: DealResult | None = None

    @property
    def seat_count(self) -> int:
        """How many seats take part."""
        return self.context.seat_count

    @property
    def ready(self) -> bool:
        """All cards asked for have reached their holders and nothing is under way."""
        return self.stage is VerifiedStage.READY

    @property
    def is_stuck(self) -> bool:
        """Parts are missing that too few are left to give."""
        return (
            self.stage is VerifiedStage.STAND_IN
            and len(set(self.present) - {self.replaced_seat}) < self.quorum
        )

    @property
    def turned_up(self) -> Hand:
        """The pieces that were turned up for everybody, in order; then those at the head of each
        own deck.
        """
        heads = (
            card for number in range(len(self.context.piles)) for card in self.deck_head(number)
        )
        return tuple(self.shown[card] for card in (*self.open_cards, *heads) if card in self.shown)

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """The pieces of loose cards that everybody knows now."""
        return {
            card: piece for card, piece in self.shown.items() if card in self.context.loose_cards
        }

    @property
    def discarded(self) -> tuple[int, ...]:
        """Cards that were exchanged for others, ascending; nobody has seen them but who put them
        away.
        """
        return tuple(sorted(card for card, holder in self.holders.items() if holder == NOBODY))

    @property
    def quorum(self) -> int:
        """How many shares give a key; 0 if keys are not shared."""
        return stand_in_quorum(self.context.options, len(self.context.present))

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that were dealt to and have not left since, ascending."""
        return tuple(seat for seat in self.context.present if seat not in self.departed)

    @property
    def shufflers(self) -> tuple[int, ...]:
        """The seats that shuffle what is being shuffled: where some were to do it alone and all of
        them left, all.
        """
        return tuple(seat for seat in self.present if seat in self.lone_shufflers) or self.present

    @property
    def is_loose(self) -> bool:
        """Whether what is being shuffled are loose cards."""
        return bool(self.pile) and self.pile[0] in self.context.loose_cards

    def readers_of(self, card: Card) -> frozenset[int]:
        """The seats that have looked at a loose card since it was shuffled."""
        return self.card_readers.get(card, frozenset())

    def owed(self, seat: int) -> tuple[int, ...]:
        """The cards asked for that this seat does not itself hold, and has not given its share
        of.
        """
        return tuple(card for card in super().owed(seat) if seat not in self.shares.get(card, ()))

    @property
    def seats_to_show(self) -> frozenset[int]:
        """The seats whose hands are to be seen now."""
        return self.showing_seats or frozenset()

    def receivers(self, dealer: int) -> list[int]:
        """The seats that get a share of a seat's key."""
        return [seat for seat in self.context.present if seat != dealer]

    def proof_place(self, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        """Where a proof of a seat holds, and nowhere else."""
        return ProofPlace(
            self.context.deal_id, seat, self.context.identities[seat], purpose, position
        )

    def piece_of(self, card: int, *own_share: Point) -> Piece | None:
        """The piece that a card turns out to be with its holder's own share; None if it is none of
        the deck.
        """
        opened = combine_shares(self.deck[card], [*self.shares[card].values(), *own_share])
        return pieces_by_point(self.context.piece_count).get(opened)

    def is_dead(self, card: int) -> bool:
        """Whether a card is in the own deck of a seat that has left, or was not there to be dealt
        to.
        """
        owner = self.context.owners.get(card)
        return owner is not None and owner not in self.present

    def deck_head(self, pile: int) -> tuple[int, ...]:
        """The cards that are turned up at once when an own deck is dealt, in their order."""
        cards = self.context.pile_cards(pile)
        return tuple(cards[place] for place in self.context.piles[pile].face_up_places)

    def cards_to_turn_up(self, seat: int) -> tuple[int, ...]:
        """Those of its own deck that a seat has not turned up yet, in their order."""
        own = (
            number
            for number, pile in enumerate(self.context.piles)
            if pile.is_own_deck and pile.owner == seat
        )
        return tuple(
            card for number in own for card in self.deck_head(number) if card not in self.shown
        )

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""
        who, kind = STAGES[self.stage]
        return tuple(
            Duty(seat, kind)
            for seat in self.present
            if seat not in self.posted and self._is_concerned(who, seat)
        )

    def _is_concerned(self, who: DutyHolder, seat: int) -> bool:
        match who:
            case DutyHolder.TURN:
                return seat == self.turn
            case DutyHolder.EVERYONE:
                return True
            case DutyHolder.ACCUSED:
                return bool(self.sharings[seat].accused_by)
            case DutyHolder.STAND_INS:
                return seat != self.replaced_seat
            case DutyHolder.GIVERS:
                return bool(self.owed(seat))
            case DutyHolder.OWNERS:
                return bool(self.cards_to_turn_up(seat))
            case DutyHolder.HOLDERS:
                return seat in self.seats_to_show - self.silent_seats and bool(self.hidden_of(seat))
            case DutyHolder.NOBODY:
                return False

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        doing, percent = DOING[self.stage]
        if self.stage is VerifiedStage.SHUFFLE:
            rest = 1 + len(self.pending_piles)
            piles = rest if self.dealt else len(self.first_piles())
            turns = (piles - rest) * len(self.shufflers) + self.shufflers.index(self.turn)
            percent += 65 * turns // (piles * len(self.shufflers))
        return doing, percent

    def first_piles(self) -> tuple[tuple[int, ...], ...]:
        """The cards of each pile that is shuffled when it is laid, as they are numbered in the
        deck.
        """
        piles = [
            self.context.pile_cards(number)
            for number, pile in enumerate(self.context.piles)
            if not pile.loose
        ]
        return tuple(tuple(pile) for pile in piles if not self.is_dead(pile[0]))

    def enter_stage(self, stage: VerifiedStage, at: int, **changes: Any) -> "VerifiedState":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset(), **changes)

    def first_hands(self) -> dict[int, int]:
        """Which cards are dealt to whom at the start: of every pile the first ones, seat by seat,
        gone or not.
        """
        seats, hands = self.context.present, dict[int, int]()
        for number, pile in enumerate(self.context.piles):
            cards = self.context.pile_cards(number)[: pile.hand_size * len(seats)]
            hands |= {card: seats[place // pile.hand_size] for place, card in enumerate(cards)}
        return hands

    def first_deck(self) -> tuple[Ciphertext, ...]:
        """Every piece in clear, in order: what the first seat shuffles."""
        return _clear_deck(self.context.piece_count)


@lru_cache(maxsize=8)
def _clear_deck(pieces: int) -> tuple[Ciphertext, ...]:
    return tuple(clear_ciphertext(face) for face in piece_points(pieces))
