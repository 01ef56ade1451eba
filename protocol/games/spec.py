"""A game as one row: everything about it that anybody but its own rules wants to know. `registry`
lists the rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.options import BadOptions, Option, Selection, Value, Values, fill_defaults

if TYPE_CHECKING:  # every program reads the rows, and some need nothing of what they name
    from protocol.games import Action, Game
    from protocol.games.game_text import GameText
    from protocol.games.game_view import GameView

DEFAULT_SEATS = 2  # when nobody says
# A game, a position, how many nodes it may look at, whether to stop: what the position is worth to
# the seat to move at least and at most (1 it wins, −1 it loses), a move that gets it if both are
# the same, and the nodes that it took.
PositionSolver = Callable[
    [Any, Any, int, Callable[[], bool]], "tuple[float, float, Action | None, int]"
]


class Information(StrEnum):
    """Whether anybody knows what others do not."""

    PERFECT = "perfect"
    HIDDEN = "hidden"


class TurnOrder(StrEnum):
    """Whose turn it is to act."""

    TURNS = "turns"  # one seat's at a time
    INDEPENDENT = "independent"  # several seats' at once


class BotSpec(NamedTuple):
    """A bot for a game."""

    name: str
    module: str
    about: str  # how it plays, in a line: a key of the catalogue, or its own words


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """One game. `rules`, `view`, `text`, `half` and bots are "module" or "module:name", loaded when
    they are needed.
    """

    name: str
    about: str  # what it is, in a line: a key of the catalogue, or its own words
    edition: str  # of the rules: another one for every change of what is legal or how it is scored
    # a distribution that rules are taken from: exactly its version is a part of theirs
    library: str = ""
    install: str = ""  # what to type when that is missing
    seats: tuple[int, int]  # least, most
    options: tuple[Option, ...] = ()
    information: Information = Information.HIDDEN
    dynamics: TurnOrder = TurnOrder.TURNS
    chips: bool = False  # whether points are called so
    # all that take an offer by one stroke, on offer now or not, where acting fast matters
    keys: str = ""
    dealing: Selection  # when nobody says how
    rules: str  # called with name, seats and the values of all options, gives a `Game`
    view: str = "protocol.games.generic_view"  # a `protocol.games.game_view.GameView`
    text: str = "protocol.games.generic_text"  # a `protocol.games.game_text.GameText`
    bots: tuple[BotSpec, ...] = ()
    # a `protocol.games.decks.deck_hand.PrivateHalfFactory`, where a seat keeps more to itself than
    # pieces
    private_half: str = ""
    # a `PositionSolver`, where a game with nothing hidden has one that is faster than a search
    solver: str = ""

    @property
    def version(self) -> str | None:
        """Of the rules, as terms and logs name it; None when the library is not installed."""
        if not self.library:
            return self.edition
        found = _installed(self.library)
        return f"{self.edition}+{self.library}-{found}" if found else None

    def load_view(self) -> "GameView":
        """The game as data."""
        found: GameView = load_object(self.view)
        return found

    def load_text(self) -> "GameText":
        """The game on a terminal."""
        found: GameText = load_object(self.text)
        return found

    def load_private_half(self) -> Any | None:
        """How the half of a seat is made, if the game has any."""
        return load_object(self.private_half) if self.private_half else None

    @property
    def default_seats(self) -> int:
        """How many play when nobody says: two, or what is nearest to that."""
        least, most = self.seats
        return min(max(DEFAULT_SEATS, least), most)

    def load_solver(self) -> PositionSolver | None:
        """Its solver, if it has one."""
        found: PositionSolver | None = load_object(self.solver) if self.solver else None
        return found

    def values(self, seats: int, given: Values) -> Values:
        """All options. Raises: Unfit for these seats or options."""
        least, most = self.seats
        if type(seats) is not int or not least <= seats <= most:
            if least == most:
                raise BadOptions("unfit.seats.exactly", count=most, seats=seats)
            raise BadOptions("unfit.seats", least=least, most=most, seats=seats)
        return fill_defaults(self.options, given, seats)

    def brought(self, seats: int, given: Values) -> frozenset[Value]:
        """The values of options that stand for texts which players bring. Raises: Unfit."""
        values = self.values(seats, given)
        judges = {option.name: option.brought for option in self.options if option.brought}
        return frozenset(
            value for name, value in values.items() if name in judges and judges[name](value)
        )

    def create(self, seats: int, given: Values) -> "Game":
        """The rules. Raises: Unfit."""
        game: Game = load_object(self.rules)(self.name, seats, self.values(seats, given))
        return game


def load_object(where: str) -> Any:
    """What stands in a row as "module" or "module:name"."""
    module, _, name = where.partition(":")
    found = import_module(module)
    return attrgetter(name)(found) if name else found


@lru_cache
def _installed(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # takes a while to import

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def options_help(rows: Sequence[GameSpec]) -> list[str]:
    """The options of games, a line each; games that have the same ones share them."""
    lines: list[str] = []
    named: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        named.setdefault(tuple(option.help_text() for option in row.options), []).append(row.name)
    for options, names in named.items():
        lines += [f"{', '.join(names)}:", *(f"  {option}" for option in options)]
    return lines
