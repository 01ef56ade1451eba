"""How hidden pieces reach seats: one interface, one folder for each protocol.

A deal has a public half, the same for everyone who reads the log (`DealState`, frozen, part of the fold), and
private halves: one for each seat (`SeatHalf`) and, where the protocol needs it, one for the table
(`TableHalf`). A private half reads the public one and says what its owner posts next; it changes nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any, NamedTuple, Protocol

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.sealed import MatchKey, Party, pair_key
from protocol.dealing.facts import Fact
from protocol.dealing.secrecy import Secrecy
from protocol.dealing.words import Meaning
from protocol.errors import Refused
from protocol.games import Hand, Piece
from protocol.games.operations import Lay, Operation, Pile
from protocol.options import Option, Values
from protocol.schema import Shape
from protocol.seats import TABLE as TABLE


class Post(NamedTuple):
    """What an author wants to have in the log: an entry's kind and its body."""

    kind: str
    body: list[Any]


class Duty(NamedTuple):
    """Somebody must post an entry of this kind before the match can go on."""

    author: int
    kind: str


class Loss(Enum):
    """What becomes of a deal that a seat has left, by a lie too, when it cannot just go on."""

    VOID = "void"  # the match ends
    DROPPED = "dropped"  # the deal is dropped, and if the game goes on, there is a new one without that seat


class Fault(NamedTuple):
    """A rule was broken: by which seat (or `TABLE`), in which entry (log number), how."""

    seat: int
    entry: int
    code: Code


@dataclass(frozen=True)
class Context:
    """What every party to a deal knows before it: all of it goes into hashes, keys and signatures."""

    match_id: bytes
    deal_number: int
    table_key: bytes
    identities: tuple[bytes, ...]  # Ed25519 public keys, by seat
    match_keys: tuple[bytes, ...]  # X25519 public keys of this match, by seat
    present: tuple[int, ...]  # the seats that are dealt to, ascending; the others have left
    piles: tuple[Pile, ...]
    options: Values  # of the dealing protocol

    @property
    def seats(self) -> int:
        """How many seats the match has."""
        return len(self.identities)

    @property
    def pieces(self) -> int:
        """How many pieces there are; they are numbered from 0."""
        return sum(pile.size for pile in self.piles)

    @property
    def each(self) -> int:
        """How many pieces every seat is dealt at the start."""
        return sum(pile.each for pile in self.piles)

    def pile(self, number: int) -> range:
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
        return pair_key(own, self.match_id, self.table_key, self.party(sender), self.party(receiver))


@dataclass(frozen=True)
class Result:
    """A closed deal: what every seat was dealt and drew (in order), and every fault found."""

    dealt: tuple[Hand, ...]
    drawn: tuple[Hand, ...]
    faults: tuple[Fault, ...]


class DealState(Protocol):
    """The public half of one deal, as a frozen value."""

    @property
    def context(self) -> Context:
        """What the deal is bound to."""

    @property
    def began(self) -> int:
        """Log number of the entry since which the present duties stand."""

    @property
    def ready(self) -> bool:
        """All hands are dealt and no draw or close is under way: the game may go on."""

    @property
    def lost(self) -> bool:
        """What the game has asked for last cannot be had any more: too many have left."""

    @property
    def turned_up(self) -> Hand:
        """The pieces of the stock that were turned up for everybody, in order."""

    @property
    def result(self) -> Result | None:
        """Set once the deal is closed."""

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""


class SeatHalf(Protocol):
    """One seat's secrets of one deal."""

    @property
    def hand(self) -> Hand:
        """The pieces this seat holds and knows now; ascending, if the protocol does not offer `PutAway`."""

    def respond(self, deal: Any) -> Post | None:
        """What this seat must post now, if anything: a step of the deal, or a protest."""

    def part(self, deal: Any, operation: Operation) -> list[Any]:
        """What goes with an action of this seat, for one of its operations; empty if there is nothing to say."""


class TableHalf(Protocol):
    """The table's secrets of one deal."""

    def respond(self, deal: Any) -> Post | None:
        """What the table must post now, if anything."""


Seen = tuple[Piece | None, ...]  # a hand as a log shows it afterwards; None: a piece that was never opened
Hindsight = Callable[[Any, int], Seen | None]  # of (state, seat): what the seat held; None: its program did not look


def nobody_protests(state: DealState, seat: int, at: int) -> DealState:
    """Where there is nothing that only one seat could see to be wrong. Raises: Refused."""
    raise Refused(Code.NOT_NOW)


def all_is_lost(state: DealState, seat: int, at: int) -> Loss:
    """Where nothing goes on without a seat that has left."""
    return Loss.VOID


def no_facts(before: Any, author: int, post: Post, after: Any) -> tuple[Fact, ...]:
    """Where nothing is hidden."""
    return ()


def no_table_half(context: Context, rng: Random) -> TableHalf | None:
    """Where the table has no part in it."""
    return None


@dataclass(frozen=True, kw_only=True)
class Dealing:
    """One dealing protocol, as a row: its words, and the functions of its two halves.

    `at` is the log number of the entry that brings something about. States are the protocol's own.
    """

    name: str
    kinds: Mapping[str, Shape]  # the kinds of entries it adds, with the shapes of their bodies
    meanings: Mapping[str, Meaning]  # what those say, in words for people
    needs_table: bool = False  # whether the table has a private half
    options: tuple[Option, ...] = ()
    # What it promises with these options, at a table of so many seats.
    secrecy: Callable[[Values, int], Secrecy]
    # Whether this protocol can do this; what it cannot do is never asked of it.
    offers: Callable[[Lay | Operation], bool]
    # (context, at): the public half of a new deal.
    begin: Callable[[Context, int], DealState]
    # (state, author, kind, body, at): the state after an entry of one of `kinds`, posted by one whose duty it is.
    # Raises: Broken.
    apply: Callable[[Any, int, str, list[Any], int], DealState]
    # (state, seat, operation, part, at): the state after an operation of this seat's action, or (`EVERYBODY`) one that
    # the rules want by themselves. `part` (decoded, unchecked) is what convinces the others, or empty. `ready` again
    # once all is done, which the operations that follow in the same entry do not wait for. Raises: Refused, Broken.
    operate: Callable[[Any, int, Operation, list[Any], int], DealState]
    # (state, show, at): the deal's end. What must be opened for the audit is now everybody's duty, and a hand that of
    # whoever shows; `show` None: every seat shows its hand.
    close: Callable[[Any, tuple[int, ...] | None, int], DealState]
    # (state, seat, at): a seat says that an entry was wrong; everything is opened, and somebody is named.
    # Raises: Refused.
    protest: Callable[[Any, int, int], DealState] = nobody_protests
    # (state, seat, at): the state after a seat has left for good, or lied, if the rest can go on without it,
    # `lost` perhaps. A state that is closed already loses nothing, and it is about the next deal.
    leave: Callable[[Any, int, int], DealState | Loss] = all_is_lost
    # (all states of a deal, in order): what each seat's own program knew in any of them, as far as the last one tells.
    hindsight: Callable[[Sequence[Any]], Hindsight]
    # (before, author, post, after): what an entry that stands has brought about between two states of one deal: pure,
    # and no secret is needed to tell.
    facts: Callable[[Any, int, Post, Any], tuple[Fact, ...]]
    # (context, seat, the seat's match key, rng): a seat's private half.
    seat_half: Callable[[Context, int, MatchKey, Random], SeatHalf]
    # (context, rng): the table's private half, if it has one.
    table_half: Callable[[Context, Random], TableHalf | None] = no_table_half
