"""The first entry of every log: which table, which game, dealt how, who sits where. Everything is bound to it."""

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from protocol.codes import Code
from protocol.dealing import Dealing
from protocol.dealing.operations import can_deal
from protocol.dealing.registry import create_dealing
from protocol.errors import Refused, RemoteError
from protocol.games import Game
from protocol.games.registry import create_game
from protocol.identity.keys import check_key
from protocol.identity.names import is_harmless
from protocol.limits import MAX_NAME, MAX_OPTIONS, MAX_SEATS, MAX_VALUE
from protocol.match.clock import Allowance, parse_clock
from protocol.schema import either, exactly, fields, many, text, uint

VERSION = 1
KIND = "open"
NO_TABLE = bytes(32)  # in place of a table's key, for a match that its seats keep among themselves
NOWHERE = "none"  # such a match's table name and table id

OptionList = tuple[tuple[str, int | str], ...]
OPTIONS = many(fields(text(MAX_NAME), either(uint(), text(MAX_VALUE))), 0, MAX_OPTIONS)

# version, table's key and name, table id, nonce, Unix time, game, options, dealing, options, clock,
# (name, key) by seat
SHAPE = fields(
    uint(),
    exactly(32),
    text(MAX_NAME),
    text(MAX_NAME),
    exactly(32),
    uint(),
    text(MAX_NAME),
    OPTIONS,
    text(MAX_NAME),
    OPTIONS,
    OPTIONS,
    many(fields(text(MAX_NAME), exactly(32)), 1, MAX_SEATS),
)


class Terms(NamedTuple):
    """What is played at a table. Option lists are sorted by name."""

    game: str
    options: OptionList
    dealing: str
    dealing_options: OptionList
    clock: OptionList
    seats: int


def make_terms(
    game: str, options: OptionList, dealing: str, dealing_options: OptionList, clock: OptionList, seats: int
) -> Terms:
    """Terms that can be played, their options sorted; raises `Refused(BAD_OPTIONS)` for all others."""
    terms = Terms(game, _by_name(options), dealing, _by_name(dealing_options), _by_name(clock), seats)
    for each in (terms.options, terms.dealing_options):
        if len(dict(each)) != len(each):
            raise Refused(Code.BAD_OPTIONS)
    rules = create_game(game, seats, dict(terms.options))
    _check_deal(create_dealing(dealing, dict(terms.dealing_options)), rules)
    parse_clock(terms.clock)
    return terms


def _by_name(options: OptionList) -> OptionList:
    # Not by value: one name may stand there twice, with a number and with a text.
    return tuple(sorted(options, key=itemgetter(0)))


class Person(NamedTuple):
    """Who has a seat."""

    name: str
    identity: bytes  # Ed25519 public key


@dataclass(frozen=True)
class Setup:
    """What a match is, before anything has happened. Option lists are sorted by name."""

    table_key: bytes
    table_name: str
    table_id: str
    nonce: bytes
    created: int  # seconds since 1970, by the table's clock; for people only
    game_name: str
    game_options: OptionList
    dealing_name: str
    dealing_options: OptionList
    clock: OptionList
    people: tuple[Person, ...]

    @property
    def has_table(self) -> bool:
        """Whether a table numbers the entries; if not, the seats post one at a time."""
        return self.table_key != NO_TABLE

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.people)

    @property
    def terms(self) -> Terms:
        """What is played."""
        return Terms(self.game_name, self.game_options, self.dealing_name, self.dealing_options, self.clock, self.seats)

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return create_game(self.game_name, self.seats, dict(self.game_options))

    @cached_property
    def dealing(self) -> Dealing:
        """The dealing protocol."""
        return create_dealing(self.dealing_name, dict(self.dealing_options))

    @cached_property
    def allowance(self) -> Allowance:
        """How long the match waits for a seat."""
        return parse_clock(self.clock)

    def body(self) -> list[Any]:
        """As the body of the first entry."""
        return [
            VERSION,
            self.table_key,
            self.table_name,
            self.table_id,
            self.nonce,
            self.created,
            self.game_name,
            [list(option) for option in self.game_options],
            self.dealing_name,
            [list(option) for option in self.dealing_options],
            [list(option) for option in self.clock],
            [list(person) for person in self.people],
        ]


def parse_setup(body: object) -> Setup:
    """The setup in a first entry's body.

    Raises: Refused: BAD_SETUP for anything that cannot be played, GAME_NOT_INSTALLED for what could be elsewhere.
    """
    if not SHAPE(body):
        raise Refused(Code.BAD_SETUP)
    assert isinstance(body, list)
    values = list(body[1:])
    for place in (6, 8, 9):
        values[place] = tuple((name, value) for name, value in values[place])
    values[10] = tuple(Person(name, identity) for name, identity in values[10])
    setup = Setup(*values)
    try:
        _check(body[0], setup)
    except RemoteError as error:
        ours = error.code is Code.GAME_NOT_INSTALLED  # nothing is wrong with the setup
        raise Refused(error.code if ours else Code.BAD_SETUP) from error
    return setup


def _check(version: int, setup: Setup) -> None:
    if version != VERSION:
        raise Refused(Code.WRONG_VERSION)
    for options in (setup.game_options, setup.dealing_options):
        names = [name for name, _ in options]
        if names != sorted(set(names)):
            raise Refused(Code.BAD_OPTIONS)
    if setup.has_table:
        check_key(setup.table_key)
        _ = setup.allowance  # raises for unknown names and values
    else:
        _check_without_table(setup)
    for person in setup.people:
        check_key(person.identity)
    if not all(is_harmless(name) for name in (setup.table_name, setup.table_id, *(who.name for who in setup.people))):
        raise Refused(Code.BAD_NAME)
    keys = {person.identity for person in setup.people} | {setup.table_key}
    if len(keys) != setup.seats + 1 or len({person.name for person in setup.people}) != setup.seats:
        raise Refused(Code.BAD_SETUP)
    _check_deal(setup.dealing, setup.game)  # which raise for unknown names and options


def _check_deal(dealing: Dealing, game: Game) -> None:
    """Raises `Refused(BAD_OPTIONS)` for a game that needs what the dealing protocol cannot do, or nothing of it."""
    dealt = dealing.name != "none"
    if not can_deal(dealing, game) or dealt is not bool(game.pieces):
        raise Refused(Code.BAD_OPTIONS)


def _check_without_table(setup: Setup) -> None:
    """Nobody is there to have a name, to run a clock or to take part in the deal."""
    if (setup.table_name, setup.table_id, setup.clock) != (NOWHERE, NOWHERE, ()) or setup.dealing.needs_table:
        raise Refused(Code.BAD_SETUP)
