"""Registry of games, by the names that people and tables use. It lists the games of this
distribution; other distributions can add theirs.
"""

from dataclasses import dataclass
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.games import AnyGame
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
from protocol.installation import here
from protocol.options import Values
from protocol.view.phrase import Phrase, phrase


class UnknownRules(Refused):
    """UNKNOWN_RULES: this program does not have the game, or not exactly this version of its rules,
    or not the `dealing` if one is named. Nobody is at fault.

    `spec` is the spec of the game in this program, if any. The names that the other side used are
    shown as `plain` text only.
    """

    def __init__(
        self, game: str, version: str = "", spec: GameSpec | None = None, dealing: str = ""
    ) -> None:
        super().__init__(Code.UNKNOWN_RULES)
        self.game, self.version, self.spec = game, version, spec
        self.dealing = dealing


def unknown_rules_phrase(unknown: UnknownRules) -> Phrase:
    """Explain in a sentence which rules are missing here. The sentence blames nobody: a player with
    other rules has done nothing wrong.
    """
    name, spec = unknown.game, unknown.spec
    if unknown.dealing:
        return phrase("unknown.dealing", name=unknown.dealing)
    if spec is None:
        return phrase("unknown.game", name=name)
    if spec.version is None:
        return phrase(
            "unknown.library", name=name, library=spec.library, install=here(spec.install)
        )
    return phrase("unknown.version", name=name, there=unknown.version, here=spec.version)


@dataclass(frozen=True)
class Games:
    """Set of games, by name. A program passes it to every reader of a log and to every seat; no
    global list exists.
    """

    specs: dict[str, GameSpec]

    def with_specs(self, *specs: GameSpec) -> "Games":
        """Return a set with these games added. Raises: LocalError if a name is taken."""
        found = dict(self.specs)
        for spec in specs:
            if spec.name in found:
                raise LocalError("wrong.game_twice", name=spec.name)
            found[spec.name] = spec
        return Games(found)

    def spec(self, name: str) -> GameSpec:
        """Return the spec of a game, in its newest edition: that of new matches. Raises:
        UnknownRules if its rules are not available.
        """
        spec = self.specs.get(name)
        if spec is None or spec.version is None:
            raise UnknownRules(name, spec=spec)
        return spec

    def spec_of_version(self, name: str, version: str) -> GameSpec:
        """Return the spec of a game with exactly this version of its rules, the newest edition or an
        older one. With another version honest moves would look illegal.

        Raises: UnknownRules. Its `spec` is the edition that `version` names, if this edition is
        here and only its library is missing or another one.
        """
        newest = self.specs.get(name)
        if newest is None:
            raise UnknownRules(name, version)
        editions = (newest, *newest.older)
        for spec in editions:
            if spec.version == version:
                return spec
        edition = version.partition("+")[0]
        named = [spec for spec in editions if spec.library and spec.edition == edition]
        raise UnknownRules(name, version, (*named, newest)[0])


class DefaultForTwo(NamedTuple):
    """Game and dealing for two people without a table, if they choose nothing."""

    name: str
    dealing: str


ALL = (*DOMINOES, *POKER, *LIGRETTO, *MATCHES, *NIM, *HEXAPAWN, *CONNECT_FOUR, *INTRUDER, *SCRIPTED)
BUILT_IN = Games({spec.name: spec for spec in ALL})
DEFAULT_GAME = DOMINOES[0].name  # game at a table if nobody chooses one
DEFAULT_FOR_TWO = DefaultForTwo(POKER[1].name, "commutative")


def create_game(name: str, seats: int, options: Values, games: Games = BUILT_IN) -> AnyGame:
    """Create the rules of a game. Raises: UnknownRules if they are not available, BadOptions if the
    seats or options are not allowed.
    """
    return games.spec(name).create(seats, options)
