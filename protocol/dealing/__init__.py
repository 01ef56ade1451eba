"""Common interface of the dealing protocols; each protocol has its own folder.

A deal has a public half (`DealState`): a frozen value, part of the fold, and the same for everyone
who reads the log. It also has private halves: one for each seat (`SeatHalf`) and, where the
protocol needs one, one for the table (`TableHalf`). A private half reads the public half and says
what its owner posts next. A private half changes nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from protocol.codes import Code
from protocol.crypto.envelopes import MatchKey, Party, pair_key
from protocol.crypto.hashing import digest
from protocol.dealing.visibility import SeenCards, public_cards
from protocol.errors import Refused
from protocol.games import Hand, Piece
from protocol.games.operations import Card, Lay, Operation, Pile, Turn
from protocol.options import Option, Values
from protocol.schema import Shape
from protocol.seats import TABLE as TABLE

if TYPE_CHECKING:  # Only for type checking: these modules import this one.
    from protocol.dealing.entry_phrases import EntryMeaning
    from protocol.dealing.facts import Fact
    from protocol.dealing.secrecy import Secrecy

# Kind of an entry that carries one part of a shuffle, if the shuffle is too large for one entry.
CHUNK = "chunk"


class Post(NamedTuple):
    """Kind and body of an entry that an author wants to add to the log."""

    kind: str
    body: list[Any]


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


class SeatHalf(Protocol):
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

    def next_post(self, deal: Any) -> Post | None:
        """Return the step of the deal or the protest that this seat must post now, or None."""

    def part(self, deal: Any, operation: Operation) -> list[Any]:
        """Return the part that goes with an action of this seat, for one operation of the action.

        The part is empty if the operation needs no proof or opening.
        """


class TableHalf(Protocol):
    """Private half of the table: its secrets of one deal."""

    def next_post(self, deal: Any) -> Post | None:
        """Return the entry that the table must post now, or None."""


# A hand as a finished log shows it. None stands for a piece that was never opened.
RevealedHand = tuple[Piece | None, ...]
# Function of (state, seat): the hand that the seat had. None: the seat's program did not look.
RevealedHands = Callable[[Any, int], RevealedHand | None]


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


def refuse_protest(state: DealState, seat: int, at: int) -> DealState:
    """Refuse a protest: in this protocol every error is visible to everybody. Raises: Refused."""
    raise Refused(Code.NOT_NOW)


def void_deal(state: DealState, seat: int, at: int) -> DealLoss:
    """Void the deal: in this protocol nothing goes on without a seat that has left."""
    return DealLoss.VOID


def no_stand_in(state: DealState, seat: int) -> DealState | None:
    """Return None: in this protocol only the holder of a hand can open it."""
    return None


def no_turned_pieces(state: Any, turn: Turn) -> Hand:
    """Return no pieces: in this protocol no seat has an own deck."""
    return ()


def no_facts(before: Any, author: int, post: Post, after: Any) -> "tuple[Fact, ...]":
    """Return no facts: in this protocol nothing is hidden."""
    return ()


def accept_any_size(options: Values, seats: int, pieces: int) -> None:
    """Accept every size: in this protocol a deal is small compared with any log."""


def no_pending_bytes(state: Any) -> int:
    """Return 0: in this protocol pending entries are always few and small."""
    return 0


def no_table_half(context: DealContext, rng: Random) -> TableHalf | None:
    """Return None: in this protocol the table has no private half."""
    return None


@dataclass(frozen=True, kw_only=True)
class Dealing:
    """Description of one dealing protocol: its entry kinds and the functions of its two halves.

    Parameters named `at` are the log number of the entry that causes a change. The type of a state
    is the protocol's own.
    """

    name: str
    entry_shapes: Mapping[
        str, Shape
    ]  # kinds of entries that the protocol adds, with the shapes of their bodies
    entry_meanings: Mapping[str, "EntryMeaning"]  # text for people, by kind of entry
    needs_table: bool = False  # True if the table has a private half
    # True if two people can use the protocol without a table, by parcels of bounded size.
    fits_parcels: bool = True
    options: tuple[Option, ...] = ()
    # (options, seats, pieces): checks that a deal of this size fits into a log. Raises: BadOptions,
    # with the largest size that fits.
    check_size: Callable[[Values, int, int], None] = accept_any_size
    # (state): bytes of log that the pending entries will take; 0 if they are only a few entries.
    pending_log_bytes: Callable[[Any], int] = no_pending_bytes
    # (options, number of seats, True if the game has own decks): what the protocol promises to
    # hide.
    secrecy: Callable[[Values, int, bool], "Secrecy"]
    # (lay or operation): True if the protocol can do this. Callers never ask for anything else.
    supports: Callable[[Lay | Operation], bool]
    # (context, at): the public half of a new deal.
    begin: Callable[[DealContext, int], DealState]
    # (state, author, kind, body, at): the state after an entry of one of the kinds above. The
    # caller has checked that the author had this duty. Raises: ProtocolViolation.
    apply: Callable[[Any, int, str, list[Any], int], DealState]
    # (state, seat, operation, part, at): the state after an operation. The operation belongs to an
    # action of `seat`; with `EVERYBODY` the rules demand the operation by themselves. `part` is the
    # proof or opening for the others, decoded and unchecked; it may be empty. The state is `ready`
    # again once the operation is complete. Later operations of the same entry do not wait for that.
    # Raises: Refused, ProtocolViolation.
    apply_operation: Callable[[Any, int, Operation, list[Any], int], DealState]
    # (state, turn): the pieces that a completed `Turn` has turned up, in the order of the
    # operation.
    turned_pieces: Callable[[Any, Turn], Hand] = no_turned_pieces
    # (state, show, at): the state at the end of the deal. Every seat must now post the openings
    # that the audit needs. The seats in `show` must also open their hands; None: every seat must.
    close: Callable[[Any, tuple[int, ...] | None, int], DealState]
    # (state, seat, at): the state after `seat` protests that an entry was wrong. Everything is
    # opened, and the search for blame names an author. Raises: Refused.
    protest: Callable[[Any, int, int], DealState] = refuse_protest
    # (state, seat, at): the state after a seat has left for good or has lied, if the others can go
    # on without that seat; else the fate of the deal. A deal that is already closed loses nothing.
    leave: Callable[[Any, int, int], DealState | DealLoss] = void_deal
    # (state, seat): the state in which the others open the hand of a silent seat that has to show
    # after the close. None: the others cannot open the hand.
    stand_in: Callable[[Any, int], DealState | None] = no_stand_in
    # (all states of a deal, in order): the hand that each seat's own program could read in any of
    # these states, as far as the last state reveals.
    revealed_hands: Callable[[Sequence[Any]], RevealedHands]
    # (all states of a deal, in order): the loose cards that each seat's program could read in any
    # of these states.
    seen_cards: Callable[[Sequence[Any]], SeenCards] = public_cards
    # (before, author, post, after): the facts that an accepted entry has brought about between two
    # states of one deal. The function is pure and needs no secret.
    facts: Callable[[Any, int, Post, Any], "tuple[Fact, ...]"]
    # (context, seat, match key of the seat, rng): the private half of a seat.
    seat_half: Callable[[DealContext, int, MatchKey, Random], SeatHalf]
    # (context, rng): the private half of the table, or None.
    table_half: Callable[[DealContext, Random], TableHalf | None] = no_table_half
