"""The first entry of every log: which table, what is played, who sits where. Everything is bound to
it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.dealing import Dealing
from protocol.dealing.registry import create_dealing
from protocol.errors import Refused, RemoteError
from protocol.games import BoundGame, Game, MatchBinding
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.games.spec import GameSpec
from protocol.identity.keys import check_key
from protocol.identity.names import is_safe_to_show
from protocol.limits import MAX_NAME, MAX_SEATS
from protocol.match.clock import Allowance, parse_clock
from protocol.match.terms import TERMS, Terms, check_terms, decode_terms, encode_terms
from protocol.schema import exactly, fields, many, text, uint
from protocol.wire import VERSION

if TYPE_CHECKING:  # a table draws nothing
    from protocol.games.game_text import GameText
    from protocol.games.game_view import GameView

KIND = "open"


class TableIdentity(NamedTuple):
    """Which table of which table manager."""

    key: bytes  # the manager's
    name: str  # the manager's
    id: str


# of a match that its seats keep among themselves
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
    """Who has a seat."""

    name: str
    identity: bytes  # Ed25519 public key


@dataclass(frozen=True)
class Setup:
    """What a match is, before anything has happened."""

    table: TableIdentity
    nonce: bytes
    created: int  # seconds since 1970, by the table's clock; for people only
    terms: Terms
    people: tuple[Person, ...]
    games: Games = field(default=BUILT_IN, compare=False, repr=False)  # where its rules are

    @property
    def has_table(self) -> bool:
        """Whether a table numbers the entries; if not, the seats post one at a time."""
        return self.table.key != NO_TABLE.key

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.people)

    @property
    def row(self) -> GameSpec:
        """All about the game."""
        return self.games.spec(self.terms.game.name)

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return self.row.create(self.seats, dict(self.terms.game.options))

    @cached_property
    def view(self) -> "GameView":
        """The game as data."""
        return self.row.load_view()

    @cached_property
    def text(self) -> "GameText":
        """The game on a terminal."""
        return self.row.load_text()

    @cached_property
    def dealing(self) -> Dealing:
        """The dealing protocol."""
        return create_dealing(self.terms.dealing.name, dict(self.terms.dealing.options), self.seats)

    @cached_property
    def allowance(self) -> Allowance:
        """How long the match waits for a seat."""
        return parse_clock(self.terms.clock)

    def start_game(self, match_id: bytes, chance: JointRandomness) -> Any:
        """The rules' first state; rules that hear of commitments are told what these are bound
        to.
        """
        rules, state = self.game, self.game.start(chance)
        if not isinstance(rules, BoundGame):
            return state
        return rules.bind(
            state, MatchBinding(match_id, tuple(person.identity for person in self.people))
        )

    def body(self) -> list[Any]:
        """As the body of the first entry."""
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
    """The setup in a first entry's body.

    Raises: UnknownRules for what can be judged elsewhere, but not with these games;
    Refused(BAD_SETUP) for anything that can be played nowhere.
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
    """The setup in a first entry's body that was judged when its match began. Raises:
    Refused(BAD_SETUP).
    """
    if not SETUP_SHAPE(body):
        raise Refused(Code.BAD_SETUP)
    assert isinstance(body, list)
    _, table, nonce, created, terms, people = body
    who = tuple(Person(name, identity) for name, identity in people)
    return Setup(TableIdentity(*table), nonce, created, decode_terms(terms), who, games)


def creation_time(body: object) -> int:
    """When the match of a first entry's body was begun, whatever is played. Raises:
    Refused(BAD_SETUP).
    """
    if not SETUP_SHAPE(body):
        raise Refused(Code.BAD_SETUP)
    assert isinstance(body, list)
    return int(body[3])


def _check_setup(version: int, setup: Setup) -> None:
    """Who and where first: what is wrong there is wrong by all rules."""
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
        is_safe_to_show(name)
        for name in (table.name, table.id, *(who.name for who in setup.people))
    ):
        raise Refused(Code.BAD_NAME)
    keys = {person.identity for person in setup.people} | {table.key}
    if len(keys) != setup.seats + 1 or len({person.name for person in setup.people}) != setup.seats:
        raise Refused(Code.BAD_SETUP)
    check_terms(setup.terms, setup.games, has_table=setup.has_table)
