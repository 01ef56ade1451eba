"""Description of a game that programs read before they load its rules. `registry` lists all of
them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol.games import Action, AnyGame, Game
from protocol.options import (
    BadOptions,
    ListOption,
    Option,
    Selection,
    Value,
    Values,
    fill_defaults,
    fill_lists,
)
from protocol.view.text import Say

# Every program reads the specs, and some need none of the modules that a spec names.
if TYPE_CHECKING:
    from protocol.games.decks.deck_hand import PrivateHalfFactory
    from protocol.games.game_text import GameText
    from protocol.games.game_view import AnyGameView
    from protocol.games.rule_sheet import RuleSheetWriter
    from protocol.view.rule_sheet import RuleSheet

DEFAULT_SEATS = 2  # number of seats if nobody chooses one
# Parameters: the game, a position, the most nodes that the solver may visit, and a function that
# says whether to stop.
#
# Results: least and greatest value for the seat to move (1 it wins, −1 it loses); a move that
# reaches this value if both are equal; number of nodes visited.
PositionSolver = Callable[
    [AnyGame, object, int, Callable[[], bool]], tuple[float, float, Action | None, int]
]


class Information(StrEnum):
    """Kind of game by its information: `HIDDEN` if some seat may know what others do not."""

    PERFECT = "perfect"
    HIDDEN = "hidden"


class TurnOrder(StrEnum):
    """Kind of game by the order of actions."""

    TURNS = "turns"  # one seat acts at a time
    INDEPENDENT = "independent"  # several seats act at the same time


class GameFamily(StrEnum):
    """Kind of game by what people want of it."""

    PLAY = "play"
    STUDY = "study"  # to see how the protocols work


class BotSpec(NamedTuple):
    """Bot for a game."""

    name: str
    module: str
    about: str  # its way to play, in one line: a key of the catalogue, or the text itself


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """Description of one game. `rules`, `view`, `text`, `sheet`, `private_half` and the modules of bots are
    given as "module" or "module:name", and loaded on demand.
    """

    name: str
    about: str  # description in one line: a key of the catalogue, or plain text
    # Version of the rules. It changes with every change of the legal actions or of the scoring.
    edition: str
    # Earlier editions of the rules, each a whole spec with the same name. Matches that were begun
    # under one of them go on and are judged by it; no new match is begun under it.
    older: tuple["GameSpec", ...] = ()
    # Distribution whose code the rules use. Its exact version is part of the version of the rules.
    library: str = ""
    install: str = ""  # command that installs `library`
    seats: tuple[int, int]  # least, most
    options: tuple[Option, ...] = ()
    lists: tuple[ListOption, ...] = ()  # options with several texts each
    information: Information = Information.HIDDEN
    dynamics: TurnOrder = TurnOrder.TURNS
    chips: bool = False  # points are called chips
    # Where a list of games puts this one: among the games, or among those that are there to be
    # studied.
    family: GameFamily = GameFamily.PLAY
    # Keys that choose an offer by one keystroke, whether on offer now or not. For games in which
    # fast action matters.
    keys: str = ""
    # Phrases of moves that come by the hundred and change little, or that no person makes: a list of
    # what happened omits them.
    minor: frozenset[str] = frozenset()
    dealing: Selection  # dealing if nobody chooses one
    # factory of the `Game`, called with name, number of seats and the values of all options
    rules: str
    view: str = "protocol.games.generic_view"  # a `protocol.games.game_view.GameView`
    text: str = "protocol.games.generic_text"  # a `protocol.games.game_text.GameText`
    # A `protocol.games.rule_sheet.RuleSheetWriter`. Empty: the game has no rules for people.
    sheet: str = ""
    bots: tuple[BotSpec, ...] = ()
    # A `protocol.games.decks.deck_hand.PrivateHalfFactory`, for games in which a seat has other
    # secrets than its pieces.
    private_half: str = ""
    # A `PositionSolver`, for a game without hidden information that can be solved faster than by
    # search.
    solver: str = ""
    # Formats in which other programs read the hands of a match, by name: a mapping to
    # `protocol.audit.hand_format.HandFormat`.
    hand_formats: str = ""

    @property
    def version(self) -> str | None:
        """Version of the rules, as terms and logs name it. None if `library` is not installed."""
        if not self.library:
            return self.edition
        found = _installed_version(self.library)
        return f"{self.edition}+{self.library}-{found}" if found else None

    def load_view(self) -> "AnyGameView":
        found: AnyGameView = load_object(self.view)
        return found

    def load_text(self) -> "GameText":
        found: GameText = load_object(self.text)
        return found

    def load_private_half(self) -> "PrivateHalfFactory | None":
        """Load the factory of the private half of a seat; None if the game has none."""
        found: PrivateHalfFactory | None = (
            load_object(self.private_half) if self.private_half else None
        )
        return found

    def rule_sheet(
        self, seats: int, given: Values, language: str = "en", brought: str = ""
    ) -> "RuleSheet | None":
        """Return the rules for people, with the options in force; None if there are none here.

        `language` and `brought` are those of `protocol.games.rule_sheet.SheetRequest`. Raises:
        BadOptions if the seats or options are not allowed.
        """
        values = self.values(seats, given)
        if not self.sheet:
            return None
        from protocol.games.rule_sheet import SheetRequest  # imported late: few programs show rules

        write: RuleSheetWriter = load_object(self.sheet)
        return write(SheetRequest(self.name, seats, values, language, brought))

    @property
    def default_seats(self) -> int:
        """Number of seats if nobody chooses one: two, or the allowed number nearest to two."""
        least, most = self.seats
        return min(max(DEFAULT_SEATS, least), most)

    def load_solver(self) -> PositionSolver | None:
        found: PositionSolver | None = load_object(self.solver) if self.solver else None
        return found

    def values(self, seats: int, given: Values) -> Values:
        """Return the values of all options, with defaults where `given` names none. Raises:
        BadOptions if the seats or options are not allowed.
        """
        least, most = self.seats
        if type(seats) is not int or not least <= seats <= most:
            if least == most:
                raise BadOptions("unfit.seats.exactly", count=most, seats=seats)
            raise BadOptions("unfit.seats", least=least, most=most, seats=seats)
        listed = {name for option in self.lists for name in option.names}
        single = {name: value for name, value in given.items() if name not in listed}
        values = fill_defaults(self.options, single, seats)
        return values | fill_lists(self.lists, given, values)

    def brought(self, seats: int, given: Values) -> frozenset[Value]:
        """Return the option values that stand for texts which the players themselves provide, such
        as an own rule file. Raises: BadOptions.
        """
        values = self.values(seats, given)
        judges = {option.name: option.brought for option in self.options if option.brought}
        return frozenset(
            value for name, value in values.items() if name in judges and judges[name](value)
        )

    def create(self, seats: int, given: Values) -> AnyGame:
        """Create the rules.

        Raises: BadOptions if the seats or options are not allowed; TypeError if `rules` gives
        something else than a `Game`, or if the rules and `dynamics` disagree about real time.
        """
        game = load_object(self.rules)(self.name, seats, self.values(seats, given))
        if not isinstance(game, Game):
            raise TypeError(f"{self.rules} gives no protocol.games.Game")
        if game.real_time is not (self.dynamics is TurnOrder.INDEPENDENT):
            raise TypeError(f"{self.rules}: real_time contradicts the dynamics of its spec")
        return game


def load_object(where: str) -> Any:
    """Import the object that a spec names as "module" or "module:name"."""
    module, _, name = where.partition(":")
    found = import_module(module)
    return attrgetter(name)(found) if name else found


@lru_cache
def _installed_version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # this import is slow

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def options_help(specs: Sequence[GameSpec], say: Say) -> list[str]:
    """Describe the options of games, one line per option. Games with the same options share one
    list.
    """
    lines: list[str] = []
    named: dict[tuple[str, ...], list[str]] = {}
    for spec in specs:
        described = tuple(option.help_text(say) for option in spec.options)
        named.setdefault(described, []).append(spec.name)
    for options, names in named.items():
        lines += [f"{', '.join(names)}:", *(f"  {option}" for option in options)]
    return lines
