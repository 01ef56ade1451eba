"""The games there are, by the names that people and tables call them by: those of this
distribution, and of others.
"""

from dataclasses import dataclass
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.games import Game
from protocol.games.connect_four.spec import SPECS as CONNECT_FOUR
from protocol.games.dominoes.spec import SPECS as DOMINOES
from protocol.games.hexapawn.spec import SPECS as HEXAPAWN
from protocol.games.intruder_spec import SPECS as INTRUDER
from protocol.games.ligretto.spec import SPECS as LIGRETTO
from protocol.games.matchsticks.spec import SPECS as MATCHES
from protocol.games.nim.spec import SPECS as NIM
from protocol.games.poker.spec import SPECS as POKER
from protocol.games.scripted.spec import SPECS as SCRIPTED
from protocol.games.spec import GameSpec
from protocol.options import Values
from protocol.view.phrase import Phrase, phrase


class UnknownRules(Refused):
    """UNKNOWN_RULES: the game, or exactly this version of its rules, is not here. Nobody is in the
    wrong.

    `row`: the game as it is here, if at all. What the other side calls game and version is shown as
    `plain` text alone.
    """

    def __init__(self, game: str, version: str = "", row: GameSpec | None = None) -> None:
        super().__init__(Code.UNKNOWN_RULES)
        self.game, self.version, self.spec = game, version, row


def unknown_rules_phrase(unknown: UnknownRules) -> Phrase:
    """Which rules are missing here, in a sentence: who plays by them has done nothing wrong."""
    name, row = unknown.game, unknown.spec
    if row is None:
        return phrase("unknown.game", name=name)
    if row.version is None:
        return phrase("unknown.library", name=name, library=row.library, install=row.install)
    return phrase("unknown.version", name=name, there=unknown.version, here=row.version)


@dataclass(frozen=True)
class Games:
    """Some games, by name. Whoever reads a log or sits down is given what there is; there is no
    other list.
    """

    specs: dict[str, GameSpec]

    def with_specs(self, *rows: GameSpec) -> "Games":
        """These games too. Raises: LocalError for a name that is taken."""
        found = dict(self.specs)
        for row in rows:
            if row.name in found:
                raise LocalError("wrong.game_twice", name=row.name)
            found[row.name] = row
        return Games(found)

    def spec(self, name: str) -> GameSpec:
        """A game. Raises: UnknownRules unless its rules are here."""
        row = self.specs.get(name)
        if row is None or row.version is None:
            raise UnknownRules(name, row=row)
        return row

    def spec_of_version(self, name: str, version: str) -> GameSpec:
        """A game by exactly this version of its rules: with any other, honest moves would look
        wrong.

        Raises: UnknownRules.
        """
        row = self.spec(name)
        if row.version != version:
            raise UnknownRules(name, version, row)
        return row


class DefaultForTwo(NamedTuple):
    """What two people play without a table, when nobody says."""

    name: str
    dealing: str


ALL = (*DOMINOES, *POKER, *LIGRETTO, *MATCHES, *NIM, *HEXAPAWN, *CONNECT_FOUR, *INTRUDER, *SCRIPTED)
BUILT_IN = Games({row.name: row for row in ALL})
DEFAULT_GAME = DOMINOES[0].name  # at a table, when nobody says
DEFAULT_FOR_TWO = DefaultForTwo(POKER[1].name, "commutative")


def create_game(name: str, seats: int, options: Values, games: Games = BUILT_IN) -> Game:
    """The rules of a game. Raises: UnknownRules, or Unfit for these seats or options."""
    return games.spec(name).create(seats, options)
