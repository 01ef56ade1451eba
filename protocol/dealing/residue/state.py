"""The public half of a residue deal as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue.cards import Deck
from protocol.dealing import DealResult, Duty
from protocol.dealing.card_state import CardState
from protocol.dealing.facts import NOBODY
from protocol.dealing.residue.chunks import PartialShuffle
from protocol.dealing.residue.log_size import shuffle_log_bytes
from protocol.dealing.residue.stages import DOING, STAGE_KINDS, ResidueStage
from protocol.fast_replace import replace
from protocol.games import Hand, Piece

SHUFFLE_PERCENT = 85  # per cent of a deal, from where it is that keys are there


class ShuffleWork(NamedTuple):
    """These cards are to be hidden anew, by these seats, one after the other."""

    cards: tuple[int, ...]  # ascending
    seats: tuple[int, ...]  # that have not done it yet, ascending
    alone: tuple[int, ...] = ()  # all that do it, if not all seats do


class BitWork(NamedTuple):
    """Bits of these cards are to be told."""

    # card, and the seats that are to read it alone: they tell nothing
    requested: tuple[tuple[int, frozenset[int]], ...]
    # what the seat that acts says that cards are, which its bits must show
    claims: tuple[tuple[int, Piece], ...] = ()

    @property
    def cards(self) -> frozenset[int]:
        """Of which bits are to be told."""
        return frozenset(card for card, _ in self.requested)

    def merge(self, other: "BitWork") -> "BitWork":
        """Both at once."""
        return BitWork(self.requested + other.requested, self.claims + other.claims)


class LookWork(NamedTuple):
    """These seats are to learn these loose cards; what has to be done for it is reckoned when it is
    its turn.
    """

    cards: tuple[int, ...]
    seats: frozenset[int]


Work = ShuffleWork | BitWork | LookWork


@dataclass(frozen=True)
class ResidueState(CardState):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: ResidueStage = ResidueStage.KEYS
    keys: Mapping[int, int] = field(default_factory=dict)  # m_j by seat
    deck: Deck = ()
    # what is under way, or as soon as there are keys; then what comes after it
    pending_work: tuple[Work, ...] = ()
    partial_shuffle: PartialShuffle | None = None  # of the shuffle that is under way
    arrived: int = 0  # bytes of log that shuffles have taken since the deal was last ready
    shuffles: int = 0  # how many have been accepted
    tellings: int = 0  # how many have begun
    hidden: frozenset[int] = frozenset()  # the cards that have been shuffled
    # card -> seat -> its bits, as a number
    bits: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    # loose card -> seats that have looked at it
    card_readers: Mapping[int, frozenset[int]] = field(default_factory=dict)
    # loose card -> seats whose bits may be known
    given_bits: Mapping[int, frozenset[int]] = field(default_factory=dict)
    shown: Mapping[int, Piece] = field(default_factory=dict)  # card -> piece
    dealt: bool = False  # whether every seat has had its first hand
    ending: bool = False
    result: DealResult | None = None

    @property
    def ready(self) -> bool:
        """All that was asked for is done."""
        return self.stage is ResidueStage.READY

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that take part, ascending: there is no deal any more when one of them
        leaves.
        """
        return self.context.present

    @property
    def turned_up(self) -> Hand:
        """The pieces that were turned up for everybody, in order."""
        return tuple(self.shown[card] for card in self.open_cards if card in self.shown)

    @property
    def public_faces(self) -> Mapping[int, Piece]:
        """The pieces of loose cards that everybody knows now, also of those that were never
        shuffled.
        """
        loose = self.context.loose_cards
        clear = {card: card for card in sorted(loose - self.hidden)}
        return clear | {card: piece for card, piece in self.shown.items() if card in loose}

    @property
    def put_away(self) -> tuple[int, ...]:
        """Cards that were exchanged for others, ascending; nobody has seen them but who put them
        away.
        """
        return tuple(sorted(card for card, holder in self.holders.items() if holder == NOBODY))

    @property
    def moduli(self) -> tuple[int, ...]:
        """m_j of all seats dealt to, ascending by seat."""
        return tuple(self.keys[seat] for seat in self.present)

    @property
    def claimed_pieces(self) -> dict[int, Piece]:
        """What cards are by the word of the seat that shows them; its bits are still to come."""
        return {
            card: piece
            for work in self.pending_work
            if isinstance(work, BitWork)
            for card, piece in work.claims
        }

    def hidden_of(self, seat: int) -> tuple[int, ...]:
        """The hand of a seat, as for all cards, but for what it is about to show."""
        said = self.claimed_pieces
        return tuple(card for card in super().hidden_of(seat) if card not in said)

    def proof_place(self, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        """Where a proof of a seat holds, and nowhere else."""
        return ProofPlace(
            self.context.deal_id, seat, self.context.identities[seat], purpose, position
        )

    def numbers(self, seat: int, card: int) -> tuple[int, ...]:
        """The numbers of a card that hide this seat's bits."""
        return self.deck[card][self.present.index(seat)]

    def missing_seats(self, card: int) -> frozenset[int]:
        """The seats that have not told their bits of a card since it was shuffled."""
        return frozenset(self.present).difference(self.bits.get(card, ()))

    def readers_of(self, card: int) -> frozenset[int]:
        """The seats that have looked at a loose card where it lies."""
        return self.card_readers.get(card, frozenset())

    def piece_of(self, card: int, own: int = 0) -> Piece:
        """The piece of a card of which all bits are told, but for those that are given here."""
        piece = own
        for bits in self.bits.get(card, {}).values():
            piece ^= bits
        return piece

    def owed(self, seat: int) -> tuple[int, ...]:
        """The cards, ascending, of which a seat has to tell its bits now."""
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
        """Who must post what now."""
        match self.stage:
            case ResidueStage.KEYS:
                seats = tuple(seat for seat in self.present if seat not in self.keys)
            case ResidueStage.SHUFFLE:
                seats = (self.current_shuffle.seats[0],)
            case ResidueStage.TELL:
                seats = tuple(seat for seat in self.present if self.owed(seat))
            case _:
                seats = ()
        return tuple(Duty(seat, STAGE_KINDS[self.stage]) for seat in seats)

    @property
    def current_shuffle(self) -> ShuffleWork:
        """The shuffle that is under way."""
        now = self.pending_work[0]
        assert isinstance(now, ShuffleWork)
        return now

    @property
    def shuffle_input(self) -> Deck:
        """The cards that are being shuffled, as they are."""
        return tuple(self.deck[card] for card in self.current_shuffle.cards)

    @property
    def pending_log_bytes(self) -> int:
        """Bytes of log that the shuffles take which are wanted and have not come yet."""
        shuffles = [work for work in self.pending_work if isinstance(work, ShuffleWork)]
        wanted = sum(
            len(work.seats) * shuffle_log_bytes(self.context, len(work.cards)) for work in shuffles
        )
        return wanted - (self.partial_shuffle.size if self.partial_shuffle is not None else 0)

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        doing, percent = DOING[self.stage]
        if self.stage is ResidueStage.SHUFFLE:
            come = self.arrived + (
                self.partial_shuffle.size if self.partial_shuffle is not None else 0
            )
            percent += SHUFFLE_PERCENT * come // (come + self.pending_log_bytes)
        return doing, percent

    def enter_stage(self, stage: ResidueStage, at: int, **changes: Any) -> "ResidueState":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, duties_since=at, **changes)

    def first_hands(self) -> dict[int, int]:
        """Which cards are dealt to whom at the start: of every pile the first ones, seat by
        seat.
        """
        seats, hands = self.present, dict[int, int]()
        for number, pile in enumerate(self.context.piles):
            cards = self.context.pile_cards(number)[: pile.hand_size * len(seats)]
            hands |= {card: seats[place // pile.hand_size] for place, card in enumerate(cards)}
        return hands
