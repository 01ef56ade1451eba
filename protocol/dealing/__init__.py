"""How hidden pieces reach seats: one interface, one folder for each protocol.

A deal has a public half, the same for everyone who reads the log (`DealState`, frozen, part of the
fold), and private halves: one for each seat (`SeatHalf`) and, where the protocol needs it, one for
the table (`TableHalf`). A private half reads the public one and says what its owner posts next; it
changes nothing else.
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

if TYPE_CHECKING:  # values of each protocol's own
    from protocol.dealing.entry_phrases import EntryMeaning
    from protocol.dealing.facts import Fact
    from protocol.dealing.secrecy import Secrecy

# the kind of entry that carries a part of a shuffle, where one is too large for one
CHUNK = "chunk"


class Post(NamedTuple):
    """What an author wants to have in the log: an entry's kind and its body."""

    kind: str
    body: list[Any]


class Duty(NamedTuple):
    """Somebody must post an entry of this kind before the match can go on."""

    author: int
    kind: str


class DealLoss(Enum):
    """What becomes of a deal that a seat has left, by a lie too, when it cannot just go on."""

    VOID = "void"  # the match ends
    # the deal is dropped, and if the game goes on, there is a new one without that seat
    DROPPED = "dropped"


class Fault(NamedTuple):
    """A rule was broken: by which seat (or `TABLE`), in which entry (log number), how."""

    seat: int
    entry: int
    code: Code


@dataclass(frozen=True)
class DealContext:
    """What every party to a deal knows before it: all of it goes into hashes, keys and
    signatures.
    """

    match_id: bytes
    deal_number: int
    table_key: bytes
    identities: tuple[bytes, ...]  # Ed25519 public keys, by seat
    match_keys: tuple[bytes, ...]  # X25519 public keys of this match, by seat
    present: tuple[int, ...]  # the seats that are dealt to, ascending; the others have left
    piles: tuple[Pile, ...]
    options: Values  # of the dealing protocol

    @property
    def seat_count(self) -> int:
        """How many seats the match has."""
        return len(self.identities)

    @property
    def piece_count(self) -> int:
        """How many pieces there are; they are numbered from 0."""
        return sum(pile.size for pile in self.piles)

    @property
    def dealt_per_seat(self) -> int:
        """How many pieces every seat is dealt at the start."""
        return sum(pile.hand_size for pile in self.piles)

    @cached_property
    def owners(self) -> Mapping[int, int]:
        """The seat whose own deck it is, by piece; pieces of all other piles are not among them."""
        piles = ((number, pile.owner) for number, pile in enumerate(self.piles) if pile.is_own_deck)
        return {
            piece: owner
            for number, owner in piles
            if owner is not None
            for piece in self.pile_cards(number)
        }

    @cached_property
    def loose_cards(self) -> frozenset[Card]:
        """The cards of loose piles."""
        piles = (number for number, pile in enumerate(self.piles) if pile.loose)
        return frozenset(card for number in piles for card in self.pile_cards(number))

    @cached_property
    def loose_owners(self) -> Mapping[Card, int]:
        """Whose card it is, of loose piles with an owner."""
        piles = ((number, pile.owner) for number, pile in enumerate(self.piles) if pile.loose)
        return {
            card: owner
            for number, owner in piles
            if owner is not None
            for card in self.pile_cards(number)
        }

    def pile_cards(self, number: int) -> range:
        """The pieces of a pile: shuffled or not, they are in the same places of the deck."""
        start = sum(pile.size for pile in self.piles[:number])
        return range(start, start + self.piles[number].size)

    @property
    def deal_id(self) -> bytes:
        """32 bytes that name this deal: table, match and deal number."""
        return digest("deal", self.table_key, self.match_id, self.deal_number)

    def party(self, seat: int) -> Party:
        """A seat as its envelopes bind it."""
        return Party(self.identities[seat], self.match_keys[seat])

    def pair_key(self, own: MatchKey, sender: int, receiver: int) -> bytes:
        """The key of envelopes from one seat to another; `own` is the match key of either."""
        return pair_key(
            own, self.match_id, self.table_key, self.party(sender), self.party(receiver)
        )


@dataclass(frozen=True)
class DealResult:
    """A closed deal: what every seat was dealt and drew (in order), and every fault found."""

    dealt: tuple[Hand, ...]
    drawn: tuple[Hand, ...]
    faults: tuple[Fault, ...]


class DealState(Protocol):
    """The public half of one deal, as a frozen value."""

    @property
    def context(self) -> DealContext:
        """What the deal is bound to."""

    @property
    def duties_since(self) -> int:
        """Log number of the entry since which the present duties stand."""

    @property
    def ready(self) -> bool:
        """All hands are dealt and no draw or close is under way: the game may go on."""

    @property
    def is_stuck(self) -> bool:
        """What the game has asked for last cannot be had any more: too many have left."""

    @property
    def turned_up(self) -> Hand:
        """The pieces that lie open: of the stock, in the order in which they were turned up; then
        for each own deck those that are turned up when it is dealt, as far as they were; no loose
        cards."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """The pieces of loose cards that everybody knows now; also of those that were never
        hidden.
        """

    @property
    def result(self) -> DealResult | None:
        """Set once the deal is closed."""

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""


class SeatHalf(Protocol):
    """One seat's secrets of one deal."""

    @property
    def hand(self) -> Hand:
        """The pieces this seat holds and knows now; ascending, if the protocol does not offer
        `PutAway`.

        Of its own deck none: what is not turned up the seat does not look at, whatever it could
        work out.
        """

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        """The pieces of loose cards that this seat knows now, alone or as everybody does."""

    def next_post(self, deal: Any) -> Post | None:
        """What this seat must post now, if anything: a step of the deal, or a protest."""

    def part(self, deal: Any, operation: Operation) -> list[Any]:
        """What goes with an action of this seat, for one of its operations; empty if there is
        nothing to say.
        """


class TableHalf(Protocol):
    """The table's secrets of one deal."""

    def next_post(self, deal: Any) -> Post | None:
        """What the table must post now, if anything."""


# a hand as a log shows it afterwards; None: a piece that was never opened
RevealedHand = tuple[Piece | None, ...]
# of (state, seat): what the seat held; None: its program did not look
RevealedHands = Callable[[Any, int], RevealedHand | None]


class NoLooseCards:
    """Where there are no loose piles: for the public half of a deal."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Of nothing."""
        return {}


class NoVisibleCards:
    """The same for a seat's private half."""

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        """Nothing."""
        return {}


def nobody_protests(state: DealState, seat: int, at: int) -> DealState:
    """Where there is nothing that only one seat could see to be wrong. Raises: Refused."""
    raise Refused(Code.NOT_NOW)


def all_is_lost(state: DealState, seat: int, at: int) -> DealLoss:
    """Where nothing goes on without a seat that has left."""
    return DealLoss.VOID


def nobody_stands_in(state: DealState, seat: int) -> DealState | None:
    """Where nobody but its holder can open a hand."""
    return None


def nothing_turned(state: Any, turn: Turn) -> Hand:
    """Where no seat has a deck of its own."""
    return ()


def no_facts(before: Any, author: int, post: Post, after: Any) -> "tuple[Fact, ...]":
    """Where nothing is hidden."""
    return ()


def always_fits(options: Values, seats: int, pieces: int) -> None:
    """Where a deal is small beside any log."""


def hardly_anything(state: Any) -> int:
    """Where it is small at every moment."""
    return 0


def no_table_half(context: DealContext, rng: Random) -> TableHalf | None:
    """Where the table has no part in it."""
    return None


@dataclass(frozen=True, kw_only=True)
class Dealing:
    """One dealing protocol, as a row: its words, and the functions of its two halves.

    `at` is the log number of the entry that brings something about. States are the protocol's own.
    """

    name: str
    entry_shapes: Mapping[
        str, Shape
    ]  # the kinds of entries it adds, with the shapes of their bodies
    entry_meanings: Mapping[str, "EntryMeaning"]  # what those say, in words for people
    needs_table: bool = False  # whether the table has a private half
    # whether two people can do it without a table, whose parcels are bounded
    fits_parcels: bool = True
    options: tuple[Option, ...] = ()
    # (options, seats, pieces): whether so large a deal fits a log. Raises: Unfit, with what would.
    check_size: Callable[[Values, int, int], None] = always_fits
    # Of a state: bytes of log that what is wanted still takes, where that is more than a few
    # entries.
    pending_log_bytes: Callable[[Any], int] = hardly_anything
    # What it promises with these options, at a table of so many seats, in a game with or without
    # own decks.
    secrecy: Callable[[Values, int, bool], "Secrecy"]
    # Whether this protocol can do this; what it cannot do is never asked of it.
    supports: Callable[[Lay | Operation], bool]
    # (context, at): the public half of a new deal.
    begin: Callable[[DealContext, int], DealState]
    # (state, author, kind, body, at): the state after an entry of one of `kinds`, posted by one
    # whose duty it is.
    # Raises: Broken.
    apply: Callable[[Any, int, str, list[Any], int], DealState]
    # (state, seat, operation, part, at): the state after an operation of this seat's action, or
    # (`EVERYBODY`) one that the rules want by themselves. `part` (decoded, unchecked) is what
    # convinces the others, or empty. `ready` again once all is done, which the operations that
    # follow in the same entry do not wait for. Raises: Refused, Broken.
    apply_operation: Callable[[Any, int, Operation, list[Any], int], DealState]
    # (state, turn): the pieces that such an operation, which is done, has turned up, in its order.
    turned_pieces: Callable[[Any, Turn], Hand] = nothing_turned
    # (state, show, at): the deal's end. What must be opened for the audit is now everybody's duty,
    # and a hand that of whoever shows; `show` None: every seat shows its hand.
    close: Callable[[Any, tuple[int, ...] | None, int], DealState]
    # (state, seat, at): a seat says that an entry was wrong; everything is opened, and somebody is
    # named.
    # Raises: Refused.
    protest: Callable[[Any, int, int], DealState] = nobody_protests
    # (state, seat, at): the state after a seat has left for good, or lied, if the rest can go on
    # without it, `lost` perhaps. A state that is closed already loses nothing, and it is about the
    # next deal.
    leave: Callable[[Any, int, int], DealState | DealLoss] = all_is_lost
    # (state, seat): the state in which the others are to open the hand of a seat that is silent,
    # when the deal is closed and that seat has to show; None: they cannot.
    stand_in: Callable[[Any, int], DealState | None] = nobody_stands_in
    # (all states of a deal, in order): what each seat's own program knew in any of them, as far as
    # the last one tells.
    revealed_hands: Callable[[Sequence[Any]], RevealedHands]
    # (ditto): what each seat's program saw of loose cards in any of them.
    seen_cards: Callable[[Sequence[Any]], SeenCards] = public_cards
    # (before, author, post, after): what an entry that stands has brought about between two states
    # of one deal: pure, and no secret is needed to tell.
    facts: Callable[[Any, int, Post, Any], "tuple[Fact, ...]"]
    # (context, seat, the seat's match key, rng): a seat's private half.
    seat_half: Callable[[DealContext, int, MatchKey, Random], SeatHalf]
    # (context, rng): the table's private half, if it has one.
    table_half: Callable[[DealContext, Random], TableHalf | None] = no_table_half
