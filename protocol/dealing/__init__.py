"""Common interface of the dealing protocols; each protocol has its own folder.

A deal has a public half (`DealState`): a frozen value, part of the fold, and the same for everyone
who reads the log. It also has private halves: one for each seat (`SeatHalf`) and, where the
protocol needs one, one for the table (`TableHalf`). A private half reads the public half and says
what its owner posts next. A private half changes nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from random import Random
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar, final

from protocol.codes import Code
from protocol.crypto.envelopes import MatchKey, Party, pair_key
from protocol.crypto.hashing import digest
from protocol.dealing.entry_phrases import EntryMeaning
from protocol.dealing.facts import Fact
from protocol.dealing.visibility import RevealedHands, SeenCards
from protocol.errors import Refused
from protocol.games import AnyGame, Hand, Piece, Want
from protocol.games.operations import Card, Lay, Operation, Pile, RevealCards, Turn
from protocol.options import Option, Values
from protocol.schema import Fields, Shape
from protocol.seats import TABLE as TABLE
from protocol.view.phrase import Phrase, phrase

# Kind of an entry that carries one part of a shuffle, if the shuffle is too large for one entry.
CHUNK_KIND = "chunk"
# Layout of a game with pieces whose rules name no `Lay`: hands and one stock.
DEFAULT_LAY = Lay((Pile(2, hand_size=1),))


class Post(NamedTuple):
    """Kind and body of an entry that an author wants to add to the log."""

    kind: str
    body: Fields


class Duty(NamedTuple):
    """Entry of a given kind that `author` must post before the match can go on."""

    author: int
    kind: str


class DealLoss(Enum):
    """Fate of a deal that cannot simply go on, after a seat has left it or has lied in it."""

    VOID = "void"  # the match ends
    # The deal is dropped. If the game goes on, a new deal without that seat follows.
    DROPPED = "dropped"


class Fault(NamedTuple):
    """Proof that a seat (or `TABLE`) broke a rule; `entry` is the log number of the offending
    entry.
    """

    seat: int
    entry: int
    code: Code


class Secrecy(NamedTuple):
    """Promises of a dealing protocol with given options at the start of a match.

    Phrases are whole sentences.
    """

    # Least number of other players who, together with the table, can read a hand. None: even all
    # of them cannot.
    colluders: int | None
    hand: Phrase  # the same promise for people; of own decks, if the game has own decks
    leaving: Phrase  # fate of the match when a seat leaves


MATCH_VOID = phrase("terms.leaving.void")


def leaving_phrase(seats: int) -> Phrase:
    """Return the fate of a match of `seats` seats that goes on after a seat has left."""
    if seats == 1:
        return phrase("terms.leaving.only")
    return phrase("terms.leaving.others" if seats > 2 else "terms.leaving.alone")


@dataclass(frozen=True)
class DealContext:
    """Facts that every party to a deal has before the deal begins.

    All of these facts go into hashes, keys and signatures.
    """

    match_id: bytes
    deal_number: int
    table_key: bytes
    identities: tuple[bytes, ...]  # Ed25519 public keys, by seat
    match_keys: tuple[bytes, ...]  # X25519 public keys of this match, by seat
    present: tuple[int, ...]  # seats that take part, ascending; the others have left
    piles: tuple[Pile, ...]
    options: Values  # options of the dealing protocol

    @property
    def seat_count(self) -> int:
        """Number of seats in the match, including seats that have left."""
        return len(self.identities)

    @property
    def piece_count(self) -> int:
        """Number of pieces in all piles together; pieces are numbered from 0."""
        return sum(pile.size for pile in self.piles)

    @property
    def dealt_per_seat(self) -> int:
        """Number of pieces that every seat is dealt at the start."""
        return sum(pile.hand_size for pile in self.piles)

    @cached_property
    def owners(self) -> Mapping[int, int]:
        """Owner's seat for each card of an own deck; cards of other piles are absent."""
        piles = ((number, pile.owner) for number, pile in enumerate(self.piles) if pile.is_own_deck)
        return {
            piece: owner
            for number, owner in piles
            if owner is not None
            for piece in self.pile_cards(number)
        }

    @cached_property
    def loose_cards(self) -> frozenset[Card]:
        """Cards of all loose piles."""
        piles = (number for number, pile in enumerate(self.piles) if pile.loose)
        return frozenset(card for number in piles for card in self.pile_cards(number))

    @cached_property
    def loose_owners(self) -> Mapping[Card, int]:
        """Owner's seat for each card of a loose pile that has an owner."""
        piles = ((number, pile.owner) for number, pile in enumerate(self.piles) if pile.loose)
        return {
            card: owner
            for number, owner in piles
            if owner is not None
            for card in self.pile_cards(number)
        }

    def pile_cards(self, number: int) -> range:
        """Return the places in the deck that belong to pile `number`.

        Shuffling moves pieces only within their pile, so these places are fixed.
        """
        start = sum(pile.size for pile in self.piles[:number])
        return range(start, start + self.piles[number].size)

    @property
    def deal_id(self) -> bytes:
        """Identifier of this deal: a 32-byte hash of table key, match and deal number."""
        return digest("deal", self.table_key, self.match_id, self.deal_number)

    def party(self, seat: int) -> Party:
        """Return the keys of a seat in the form in which envelopes bind them."""
        return Party(self.identities[seat], self.match_keys[seat])

    def pair_key(self, own: MatchKey, sender: int, receiver: int) -> bytes:
        """Return the key of envelopes from `sender` to `receiver`.

        `own` is the match key of either of the two.
        """
        return pair_key(
            own, self.match_id, self.table_key, self.party(sender), self.party(receiver)
        )


@dataclass(frozen=True)
class DealResult:
    """Outcome of a closed deal: pieces that each seat was dealt and drew, in order, and all
    faults.
    """

    dealt: tuple[Hand, ...]
    drawn: tuple[Hand, ...]
    faults: tuple[Fault, ...]


class DealState(Protocol):
    """Public half of one deal, as a frozen value."""

    @property
    def context(self) -> DealContext:
        """Context to which the deal is bound."""

    @property
    def duties_since(self) -> int:
        """Log number of the entry that brought about the present duties."""

    @property
    def ready(self) -> bool:
        """True if all hands are dealt and no draw or close is under way, so that the game may go
        on.
        """

    @property
    def is_stuck(self) -> bool:
        """True if the game's last request can never be met, because too many seats have left."""

    @property
    def turned_up(self) -> Hand:
        """Pieces that lie open; loose cards are not among them.

        First come pieces of the stock, in the order in which they were turned up. Then, for each
        own deck, come the pieces turned up when the deck is dealt, as far as they are open by now.
        """

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that are public now, including cards that were never hidden."""

    @property
    def result(self) -> DealResult | None:
        """Outcome of the deal; None until the deal is closed."""

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""


S = TypeVar("S", bound=DealState)
S_contra = TypeVar("S_contra", bound=DealState, contravariant=True)


class SeatHalf(Protocol[S_contra]):
    """Private half of one seat: its secrets of one deal."""

    @property
    def hand(self) -> Hand:
        """Pieces that this seat holds and can read now; ascending if the protocol does not offer
        `PutAway`.

        Pieces of the seat's own deck are absent. The seat does not look at a piece there before the
        piece is turned up, even if it could compute the piece.
        """

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that this seat can read now, public cards included."""

    def next_post(self, deal: S_contra) -> Post | None:
        """Return the step of the deal or the protest that this seat must post now, or None."""

    def part(self, deal: S_contra, operation: Operation) -> Fields:
        """Return the part that goes with an action of this seat, for one operation of the action.

        The part is empty if the operation needs no proof or opening.
        """


class TableHalf(Protocol[S_contra]):
    """Private half of the table: its secrets of one deal."""

    def next_post(self, deal: S_contra) -> Post | None:
        """Return the entry that the table must post now, or None."""


class NoLooseCards:
    """Mixin for the public half of a deal whose protocol has no loose piles."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        return {}


class NoVisibleCards:
    """Mixin for the private half of a seat whose protocol has no loose piles."""

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        return {}


def has_own_decks(game: AnyGame) -> bool:
    """Check that a seat may have an own deck in this game."""
    return any(
        pile.is_own_deck
        for need in game.required_operations
        if isinstance(need, Lay)
        for pile in need.piles
    )


def public_pieces(deal: DealState, wanted: Want) -> Hand:
    """Return the open pieces that a game learns after the deal has done what `wanted` asks."""
    asked = (
        [each for each in wanted if isinstance(each, RevealCards)]
        if isinstance(wanted, tuple)
        else []
    )
    loose = (card for each in asked for card in each.cards)
    return (
        *deal.turned_up,
        *(deal.public_faces[card] for card in loose if card in deal.public_faces),
    )


class Dealing(ABC, Generic[S]):
    """One dealing protocol: how hidden pieces reach the seats.

    `S` is the public half of its deals. States are frozen, so a transition returns the next one.
    Parameters named `at` are the log number of the entry that causes a change. A subclass sets the
    constants without a value, and defines every abstract method.
    """

    name: ClassVar[str]
    # Kinds of entries that the protocol adds, with the shapes of their bodies.
    entry_shapes: ClassVar[Mapping[str, Shape]]
    # Text for people, by kind of entry.
    entry_meanings: ClassVar[Mapping[str, EntryMeaning]]
    options: ClassVar[tuple[Option, ...]] = ()
    # True if the table has a private half.
    needs_table: ClassVar[bool] = False
    # True if two people can use the protocol without a table, by parcels of bounded size.
    fits_parcels: ClassVar[bool] = True

    # What the protocol can do, and what it promises

    @abstractmethod
    def supports(self, operation: Lay | Operation) -> bool:
        """Check that the protocol can do this. No caller asks for anything else."""

    @abstractmethod
    def secrecy(self, options: Values, seats: int, with_own_decks: bool) -> Secrecy:
        """Return what the protocol promises to hide; `with_own_decks`: the game has own decks."""

    def check_size(self, options: Values, seats: int, pieces: int) -> None:
        """Check that a deal of this size fits into a log. By default every size fits.

        Raises: BadOptions, with the largest size that fits.
        """
        return

    @final
    def can_deal(self, game: AnyGame) -> bool:
        """Check that the protocol supports every operation that a game requires."""
        laid = any(isinstance(need, Lay) for need in game.required_operations)
        needs = (
            game.required_operations
            if laid or not game.pieces
            else (DEFAULT_LAY, *game.required_operations)
        )
        return all(self.supports(operation) for operation in needs)

    # Transitions of the public half

    @abstractmethod
    def begin(self, context: DealContext, at: int) -> S:
        """Return the public half of a new deal."""

    @abstractmethod
    def apply(self, state: S, author: int, kind: str, body: Fields, at: int) -> S:
        """Return the state after an entry of one of the kinds in `entry_shapes`.

        The caller has checked the shape, and that the author had this duty.
        Raises: ProtocolViolation.
        """

    @abstractmethod
    def apply_operation(
        self, state: S, seat: int, operation: Operation, part: Fields, at: int
    ) -> S:
        """Return the state after an operation that belongs to an action of `seat`.

        With `EVERYBODY` the rules demand the operation by themselves. `part` is the proof or
        opening for the others, decoded and unchecked; it may be empty. The state is `ready` again
        once the operation is complete. Later operations of the same entry do not wait for that.
        Raises: Refused, ProtocolViolation.
        """

    def repeat(self, state: S, author: int, kind: str, body: Fields, at: int) -> S:
        """Return what `apply` returned for this entry, which it has accepted in this state before.

        A protocol with proofs skips them here. By default everything is checked again.
        """
        return self.apply(state, author, kind, body, at)

    def repeat_operation(
        self, state: S, seat: int, operation: Operation, part: Fields, at: int
    ) -> S:
        """Return what `apply_operation` returned for this operation; see `repeat`."""
        return self.apply_operation(state, seat, operation, part, at)

    @final
    def apply_operations(
        self,
        state: S,
        seat: int,
        operations: Sequence[Operation],
        parts: Sequence[Fields],
        at: int,
        *,
        proven: bool = False,
    ) -> S:
        """Return the state after the operations of one entry, with one part for each operation.

        An entry without operations and parts changes nothing, even if the match has no deal.
        `proven`: they were accepted in this state before (`repeat`).
        Raises: Refused, ProtocolViolation.
        """
        if len(parts) != len(operations):
            raise Refused(Code.BAD_ENTRY)
        apply_one = self.repeat_operation if proven else self.apply_operation
        for operation, part in zip(operations, parts, strict=True):
            if not self.supports(operation):
                raise Refused(Code.NOT_NOW)
            state = apply_one(state, seat, operation, part, at)
        return state

    @abstractmethod
    def close(self, state: S, show: tuple[int, ...] | None, at: int) -> S:
        """Return the state at the end of the deal.

        Every seat must now post the openings that the audit needs. The seats in `show` must also
        open their hands; None: every seat must.
        """

    def protest(self, state: S, seat: int, at: int) -> S:
        """Return the state after `seat` protests that an entry was wrong.

        Everything is opened, and the search for blame names an author. By default a protest is
        refused, because everybody sees every error. Raises: Refused.
        """
        raise Refused(Code.NOT_NOW)

    def leave(self, state: S, seat: int, at: int) -> S | DealLoss:
        """Return the state after a seat has left for good or has lied, or the fate of the deal.

        A state is returned if the others can go on without that seat. A deal that is already
        closed loses nothing. By default the deal is void.
        """
        return DealLoss.VOID

    def stand_in(self, state: S, seat: int) -> S | None:
        """Return the state in which the others open the hand of a silent seat.

        The seat has to show its hand after the close. None: the others cannot open the hand, as is
        the default.
        """
        return None

    # What a state tells

    def turned_pieces(self, state: S, turn: Turn) -> Hand:
        """Return the pieces that a completed `Turn` has turned up, in the order of the operation.

        By default there are no own decks, and therefore no such pieces.
        """
        return ()

    @final
    def turned_pieces_of(self, state: S, operations: Sequence[Operation]) -> Hand:
        """Return the pieces that completed operations have turned up from own decks, in order."""
        return tuple(
            piece
            for each in operations
            if isinstance(each, Turn)
            for piece in self.turned_pieces(state, each)
        )

    def pending_log_bytes(self, state: S) -> int:
        """Return the bytes of log that the pending entries will take.

        The default is 0, which stands for a few small entries.
        """
        return 0

    def facts(self, before: S, author: int, post: Post, after: S) -> tuple[Fact, ...]:
        """Return the facts that an accepted entry has brought about between two states of a deal.

        The method is pure and needs no secret. By default nothing is hidden, and there are no
        facts.
        """
        return ()

    @abstractmethod
    def revealed_hands(self, states: Sequence[S]) -> RevealedHands[S]:
        """Return the hand that each seat's own program could read in any state of a deal.

        `states` are all states of the deal, in order. A hand is complete as far as the last state
        reveals it.
        """

    def seen_cards(self, states: Sequence[S]) -> SeenCards[S]:
        """Return the loose cards that each seat's program could read in any state of a deal.

        `states` are all states of the deal, in order. The default is the public cards, because the
        log does not show which seats looked at a card.
        """
        return lambda state, seat: state.public_faces

    # Private halves

    @abstractmethod
    def seat_half(self, context: DealContext, seat: int, key: MatchKey, rng: Random) -> SeatHalf[S]:
        """Return the private half of a seat; `key` is its match key."""

    def table_half(self, context: DealContext, rng: Random) -> TableHalf[S] | None:
        """Return the private half of the table, or None, as is the default."""
        return None
