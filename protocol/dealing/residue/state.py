"""Public half of a residue deal, as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue.cards import Deck
from protocol.dealing import DealResult, Duty
from protocol.dealing.card_state import CardState
from protocol.dealing.facts import NOBODY
from protocol.dealing.residue.chunks import PartialShuffle
from protocol.dealing.residue.log_size import shuffle_log_bytes
from protocol.dealing.residue.stages import STAGES, ResidueStage
from protocol.dealing.stages import stage_duties
from protocol.fast_replace import replace
from protocol.games import Hand, Piece

# share of all shuffles in the progress of a deal, in per cent; keys come before
SHUFFLE_PERCENT = 85


class ShuffleWork(NamedTuple):
    """Cards to be shuffled by seats in turn."""

    cards: tuple[int, ...]  # ascending
    seats: tuple[int, ...]  # seats that have not shuffled yet, ascending
    alone: tuple[int, ...] = ()  # all seats that shuffle these cards; empty if every seat does


class BitWork(NamedTuple):
    """Cards whose bits are to be posted."""

    # (card, seats that alone are to read it). These seats post no bits.
    requested: tuple[tuple[int, frozenset[int]], ...]
    # (card, piece claimed by the acting seat). The seat's bits must confirm the claim.
    claims: tuple[tuple[int, Piece], ...] = ()

    @property
    def cards(self) -> frozenset[int]:
        """Cards whose bits are requested."""
        return frozenset(card for card, _ in self.requested)

    def merge(self, other: "BitWork") -> "BitWork":
        """Return one telling for the cards of both."""
        return BitWork(self.requested + other.requested, self.claims + other.claims)


class LookWork(NamedTuple):
    """Loose cards that seats are to look at; the steps are determined when this work is started."""

    cards: tuple[int, ...]
    seats: frozenset[int]


Work = ShuffleWork | BitWork | LookWork


@dataclass(frozen=True)
class ResidueState(CardState):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: ResidueStage = ResidueStage.KEYS
    keys: Mapping[int, int] = field(default_factory=dict)  # moduli m_j, by seat
    deck: Deck = ()
    # Queue of work. The first element is under way as soon as all keys are posted.
    pending_work: tuple[Work, ...] = ()
    partial_shuffle: PartialShuffle | None = None  # chunks of the shuffle under way
    arrived: int = 0  # bytes of log that shuffles have taken since the deal was last ready
    shuffles: int = 0  # number of accepted shuffles
    tellings: int = 0  # number of tellings (rounds of posting bits) that have begun
    hidden: frozenset[int] = frozenset()  # cards that have been shuffled
    # card -> seat -> its bits, as a number
    bits: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    # loose card -> seats that have looked at it
    card_readers: Mapping[int, frozenset[int]] = field(default_factory=dict)
    # loose card -> seats whose bits of it may be public
    given_bits: Mapping[int, frozenset[int]] = field(default_factory=dict)
    shown: Mapping[int, Piece] = field(default_factory=dict)  # card -> piece
    dealt: bool = False  # True once every seat has received its first hand
    ending: bool = False
    result: DealResult | None = None

    @property
    def ready(self) -> bool:
        """True if the queue of work is empty and the deal is not closed."""
        return self.stage is ResidueStage.READY

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that take part, ascending; a seat that leaves ends the deal, so none is ever
        missing.
        """
        return self.context.present

    @property
    def turned_up(self) -> Hand:
        """Pieces that were turned up for everybody, in order."""
        return tuple(self.shown[card] for card in self.open_cards if card in self.shown)

    @property
    def public_faces(self) -> Mapping[int, Piece]:
        """Pieces of the loose cards that are public now, including cards that were never
        shuffled.
        """
        loose = self.context.loose_cards
        clear = {card: card for card in sorted(loose - self.hidden)}
        return clear | {card: piece for card, piece in self.shown.items() if card in loose}

    @property
    def put_away(self) -> tuple[int, ...]:
        """Cards that were put away, ascending; only the seat that put a card away has seen its
        piece.
        """
        return tuple(sorted(card for card, holder in self.holders.items() if holder == NOBODY))

    @property
    def moduli(self) -> tuple[int, ...]:
        """Moduli m_j of all seats that take part, by seat, ascending."""
        return tuple(self.keys[seat] for seat in self.present)

    @property
    def claimed_pieces(self) -> dict[int, Piece]:
        """Pieces that showing seats claim for cards; their bits are still to come."""
        return {
            card: piece
            for work in self.pending_work
            if isinstance(work, BitWork)
            for card, piece in work.claims
        }

    def hidden_of(self, seat: int) -> tuple[int, ...]:
        """Return the hand of a seat, without cards that it is about to show."""
        said = self.claimed_pieces
        return tuple(card for card in super().hidden_of(seat) if card not in said)

    def proof_place(self, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        """Return the place to which a proof of `seat` is bound; the proof is invalid anywhere
        else.
        """
        return ProofPlace(
            self.context.deal_id, seat, self.context.identities[seat], purpose, position
        )

    def numbers(self, seat: int, card: int) -> tuple[int, ...]:
        """Return the numbers of a card that hide the bits of `seat`."""
        return self.deck[card][self.present.index(seat)]

    def missing_seats(self, card: int) -> frozenset[int]:
        """Return the seats that have not posted their bits of a card since its last shuffle."""
        return frozenset(self.present).difference(self.bits.get(card, ()))

    def readers_of(self, card: int) -> frozenset[int]:
        """Return the seats that have looked at a loose card in its present place."""
        return self.card_readers.get(card, frozenset())

    def piece_of(self, card: int, own: int = 0) -> Piece:
        """Return the piece of a card from all posted bits; `own` adds bits that are not posted."""
        piece = own
        for bits in self.bits.get(card, {}).values():
            piece ^= bits
        return piece

    def owed(self, seat: int) -> tuple[int, ...]:
        """Return the cards for which a seat must post its bits now, ascending."""
        now = self.pending_work[0] if self.stage is ResidueStage.TELL else None
        wanted = now.requested if isinstance(now, BitWork) else ()
        return tuple(
            sorted(
                {
                    card
                    for card, readers in wanted
                    if seat not in readers and seat in self.missing_seats(card)
                }
            )
        )

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""
        posted = self.keys if self.stage is ResidueStage.KEYS else {}
        waiting = (seat for seat in self.present if seat not in posted)
        turn = self.current_shuffle.seats[0] if self.stage is ResidueStage.SHUFFLE else None
        return stage_duties(STAGES[self.stage], waiting, turn, lambda seat: bool(self.owed(seat)))

    @property
    def current_shuffle(self) -> ShuffleWork:
        """Shuffle that is under way; the stage must be SHUFFLE."""
        now = self.pending_work[0]
        assert isinstance(now, ShuffleWork)
        return now

    @property
    def shuffle_input(self) -> Deck:
        """Cards of the current shuffle, as they are before the next seat shuffles them."""
        return tuple(self.deck[card] for card in self.current_shuffle.cards)

    @property
    def pending_log_bytes(self) -> int:
        """Bytes of log that all pending shuffles will still take."""
        shuffles = [work for work in self.pending_work if isinstance(work, ShuffleWork)]
        wanted = sum(
            len(work.seats) * shuffle_log_bytes(self.context, len(work.cards)) for work in shuffles
        )
        return wanted - (self.partial_shuffle.size if self.partial_shuffle is not None else 0)

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""
        spec = STAGES[self.stage]
        percent = spec.percent
        if self.stage is ResidueStage.SHUFFLE:
            come = self.arrived + (
                self.partial_shuffle.size if self.partial_shuffle is not None else 0
            )
            percent += SHUFFLE_PERCENT * come // (come + self.pending_log_bytes)
        return spec.progress_key, percent

    def enter_stage(self, stage: ResidueStage, at: int) -> Self:
        """Return the state at the beginning of `stage`."""
        return replace(self, stage=stage, duties_since=at)

    def first_hands(self) -> dict[int, int]:
        """Return the seat for each card of the first hands: the first cards of every pile, seat by
        seat.
        """
        seats, hands = self.present, dict[int, int]()
        for number, pile in enumerate(self.context.piles):
            cards = self.context.pile_cards(number)[: pile.hand_size * len(seats)]
            hands |= {card: seats[place // pile.hand_size] for place, card in enumerate(cards)}
        return hands
