"""The first entry of every log: the table, the terms and the people in their seats. All later
signatures are bound to it by the match id.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.dealing import Dealing
from protocol.dealing.registry import create_dealing
from protocol.errors import Refused, RemoteError
from protocol.games import AnyGame, MatchBinding
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.games.spec import GameSpec
from protocol.identity.keys import check_key
from protocol.identity.names import is_name_safe
from protocol.limits import MAX_NAME, MAX_SEATS
from protocol.match.clock import Allowance, parse_clock
from protocol.match.terms import TERMS, Terms, check_terms, decode_terms, encode_terms
from protocol.schema import exactly, fields, many, text, uint
from protocol.wire import VERSION

if TYPE_CHECKING:  # a table never draws a game, and does not load these modules
    from protocol.games.game_text import GameText
    from protocol.games.game_view import AnyGameView

KIND = "open"


class TableIdentity(NamedTuple):
    """A table of a table manager."""

    key: bytes  # the manager's public key
    name: str  # the manager's name
    id: str


# stands for the table in a match that the seats play without one
NO_TABLE = TableIdentity(bytes(32), "none", "none")

# version, (table manager's key and name, table id), nonce, Unix time, terms, (name, key) by seat
SETUP_SHAPE = fields(
    uint(),
    fields(exactly(32), text(MAX_NAME), text(MAX_NAME)),
    exactly(32),
    uint(),
    TERMS,
    many(fields(text(MAX_NAME), exactly(32)), 1, MAX_SEATS),
)


class Person(NamedTuple):
    """The person in a seat."""

    name: str
    identity: bytes  # Ed25519 public key


@dataclass(frozen=True)
class Setup:
    """Setup of a match: everything that is fixed before its second entry."""

    table: TableIdentity
    nonce: bytes
    created: int  # seconds since 1970, by the table's clock; only shown to people
    terms: Terms
    people: tuple[Person, ...]
    # collection that contains the match's game
    games: Games = field(default=BUILT_IN, compare=False, repr=False)

    @property
    def has_table(self) -> bool:
        """A table numbers the entries. Without a table the seats post one at a time."""
        return self.table.key != NO_TABLE.key

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.people)

    @property
    def spec(self) -> GameSpec:
        """Specification of the game, in the edition that the terms name."""
        return self.games.spec_of_version(self.terms.game.name, self.terms.rules)

    @cached_property
    def game(self) -> AnyGame:
        """Rules of the game with the match's options."""
        return self.spec.create(self.seats, dict(self.terms.game.options))

    @cached_property
    def view(self) -> "AnyGameView":
        """Converter from the game's state to the data of a view."""
        return self.spec.load_view()

    @cached_property
    def text(self) -> "GameText":
        """Drawing of the game on a terminal."""
        return self.spec.load_text()

    @cached_property
    def dealing(self) -> Dealing[Any]:
        """The dealing protocol."""
        return create_dealing(self.terms.dealing.name, dict(self.terms.dealing.options), self.seats)

    @cached_property
    def allowance(self) -> Allowance:
        """Time limits of the match."""
        return parse_clock(self.terms.clock)

    def start_game(self, match_id: bytes, chance: JointRandomness) -> object:
        """Return the rules' first state, bound to the match id and the identities."""
        return self.game.bind(self.game.start(chance), self.binding(match_id))

    def binding(self, match_id: bytes) -> MatchBinding:
        """Return the values that the players' commitments in the game are bound to."""
        return MatchBinding(match_id, tuple(person.identity for person in self.people))

    def body(self) -> list[Any]:
        """Return the body of the first entry."""
        people = [list(person) for person in self.people]
        return [
            VERSION,
            list(self.table),
            self.nonce,
            self.created,
            encode_terms(self.terms),
            people,
        ]


def parse_setup(body: object, games: Games = BUILT_IN) -> Setup:
    """Read and check the setup in the body of a first entry.

    Raises: UnknownRules if other games than `games` can judge the match; Refused(BAD_SETUP) if it
    can be played nowhere.
    """
    setup = read_setup(body, games)
    assert isinstance(body, list)
    try:
        _check_setup(body[0], setup)
    except UnknownRules:
        raise
    except RemoteError as error:
        raise Refused(Code.BAD_SETUP) from error
    return setup


def read_setup(body: object, games: Games = BUILT_IN) -> Setup:
    """Read the setup in the body of a first entry that was checked when its match began.

    Raises: Refused(BAD_SETUP).
    """
    if not SETUP_SHAPE(body):
        raise Refused(Code.BAD_SETUP)
    assert isinstance(body, list)
    _, table, nonce, created, terms, people = body
    who = tuple(Person(name, identity) for name, identity in people)
    return Setup(TableIdentity(*table), nonce, created, decode_terms(terms), who, games)


def creation_time(body: object) -> int:
    """Return the start of a match in Unix time from the body of its first entry, for any game.

    Raises: Refused(BAD_SETUP).
    """
    if not SETUP_SHAPE(body):
        raise Refused(Code.BAD_SETUP)
    assert isinstance(body, list)
    return int(body[3])


def _check_setup(version: int, setup: Setup) -> None:
    """Check the table and the people first: an error there is an error for all games, even unknown
    ones.
    """
    table = setup.table
    if version != VERSION or setup.terms.seats != setup.seats:
        raise Refused(Code.BAD_SETUP)
    if setup.has_table:
        check_key(table.key)
    elif table != NO_TABLE:
        raise Refused(Code.BAD_SETUP)
    for person in setup.people:
        check_key(person.identity)
    if not all(
        is_name_safe(name) for name in (table.name, table.id, *(who.name for who in setup.people))
    ):
        raise Refused(Code.BAD_NAME)
    keys = {person.identity for person in setup.people} | {table.key}
    if len(keys) != setup.seats + 1 or len({person.name for person in setup.people}) != setup.seats:
        raise Refused(Code.BAD_SETUP)
    check_terms(setup.terms, setup.games, has_table=setup.has_table)
