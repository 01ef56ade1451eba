"""The public half of a verified deal as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.crypto.elgamal import Ciphertext, in_clear, open_with
from protocol.crypto.group import Point, Scalar
from protocol.crypto.proof_context import ProofPlace
from protocol.dealing import Duty, Result
from protocol.dealing.cards import Cards, faces, pieces_by_face
from protocol.dealing.facts import NOBODY
from protocol.dealing.verified.options import quorum_of
from protocol.dealing.verified.stages import DOING, STAGES, Stage, Who
from protocol.games import Hand, Piece


@dataclass(frozen=True)
class Sharing:
    """How one seat shared its key: the commitments, the sealed shares, and those that had to be opened."""

    commitments: tuple[Point, ...]  # A_1 ... A_q-1
    sealed: Mapping[int, bytes]  # by receiver
    accused_by: frozenset[int] = frozenset()  # receivers that found their share wrong
    answered: Mapping[int, Scalar] = field(default_factory=dict)  # by receiver


@dataclass(frozen=True)
class Verified(Cards):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    stage: Stage = Stage.KEYS
    turn: int = 0
    posted: frozenset[int] = frozenset()  # who has done the present stage
    keys: Mapping[int, Point] = field(default_factory=dict)  # X_j by seat
    sharings: Mapping[int, Sharing] = field(default_factory=dict)  # by the seat whose key it is
    gone: frozenset[int] = frozenset()  # seats that have left
    replaced: int = 0  # the seat that the others stand in for, in that stage
    stand_ins: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)  # by seat: its part of each card
    key: Point | None = None  # X = ΣX_j
    deck: tuple[Ciphertext, ...] = ()
    pile: tuple[int, ...] = ()  # the cards being shuffled
    later_piles: tuple[tuple[int, ...], ...] = ()  # those to be shuffled after them
    shuffles: int = 0  # how many have been accepted
    shares: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)  # card -> seat -> its share
    dealt: bool = False  # whether every seat has had its first hand
    showing: frozenset[int] = frozenset()  # the seats that show their hands at the end
    shown: Mapping[int, Piece] = field(default_factory=dict)  # card -> piece
    result: Result | None = None

    @property
    def seats(self) -> int:
        """How many seats take part."""
        return self.context.seats

    @property
    def ready(self) -> bool:
        """All cards asked for have reached their holders and nothing is under way."""
        return self.stage is Stage.READY

    @property
    def lost(self) -> bool:
        """Parts are missing that too few are left to give."""
        return self.stage is Stage.STAND_IN and len(self.present) < self.quorum

    @property
    def turned_up(self) -> Hand:
        """The pieces that were turned up for everybody, in order."""
        return tuple(self.shown[card] for card in self.open_cards if card in self.shown)

    @property
    def put_away(self) -> tuple[int, ...]:
        """Cards that were exchanged for others, ascending; nobody has seen them but who put them away."""
        return tuple(sorted(card for card, holder in self.holders.items() if holder == NOBODY))

    @property
    def quorum(self) -> int:
        """How many shares give a key; 0 if keys are not shared."""
        return quorum_of(self.context.options, len(self.context.present))

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that were dealt to and have not left since, ascending."""
        return tuple(seat for seat in self.context.present if seat not in self.gone)

    def receivers(self, dealer: int) -> list[int]:
        """The seats that get a share of a seat's key."""
        return [seat for seat in self.context.present if seat != dealer]

    def place(self, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        """Where a proof of a seat holds, and nowhere else."""
        return ProofPlace(self.context.deal_id, seat, self.context.identities[seat], purpose, position)

    def piece_of(self, card: int, *own_share: Point) -> Piece | None:
        """The piece that a card turns out to be with its holder's own share; None if it is none of the deck."""
        opened = open_with(self.deck[card], [*self.shares[card].values(), *own_share])
        return pieces_by_face(self.context.pieces).get(opened)

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""
        who, kind = STAGES[self.stage]
        return tuple(
            Duty(seat, kind) for seat in self.present if seat not in self.posted and self._is_concerned(who, seat)
        )

    def _is_concerned(self, who: Who, seat: int) -> bool:
        match who:
            case Who.TURN:
                return seat == self.turn
            case Who.EVERYONE:
                return True
            case Who.ACCUSED:
                return bool(self.sharings[seat].accused_by)
            case Who.STAND_INS:
                return seat != self.replaced
            case Who.GIVERS:
                return bool(self.owed(seat))
            case Who.HOLDERS:
                return seat in self.showing and bool(self.hidden_of(seat))
            case Who.NOBODY:
                return False

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        doing, percent = DOING[self.stage]
        if self.stage is Stage.SHUFFLE:
            percent += 65 * self.present.index(self.turn) // len(self.present)
        return doing, percent

    def go(self, stage: Stage, at: int, **changes: Any) -> "Verified":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, began=at, posted=frozenset(), **changes)

    def first_hands(self) -> dict[int, int]:
        """Which cards are dealt to whom at the start: of every pile the first ones, seat by seat, gone or not."""
        seats, hands = self.context.present, dict[int, int]()
        for number, pile in enumerate(self.context.piles):
            cards = self.context.pile(number)[: pile.each * len(seats)]
            hands |= {card: seats[place // pile.each] for place, card in enumerate(cards)}
        return hands

    def first_deck(self) -> tuple[Ciphertext, ...]:
        """Every piece in clear, in order: what the first seat shuffles."""
        return tuple(in_clear(face) for face in faces(self.context.pieces))
