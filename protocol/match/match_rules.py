"""Rules of a match for people: the rule sheet of its game, with the options of its terms."""

from typing import NamedTuple

from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.games.sheet_text import rules_text
from protocol.games.spec import GameSpec
from protocol.i18n import language_of
from protocol.match.state import Match
from protocol.match.terms import Terms
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import RuleSheet
from protocol.view.text import Translate, phrase_renderer


class MatchRules(NamedTuple):
    """A match, or the terms of a match to come, whose rules somebody reads."""

    terms: Terms
    games: Games = BUILT_IN
    brought: str = ""  # `Game.brought_text`

    @classmethod
    def of_match(cls, match: Match) -> "MatchRules":
        """Return the rules of a match, with the text that a player has brought, if any."""
        setup = match.setup
        brought = "" if match.game is None else setup.game.brought_text(match.game)
        return cls(setup.terms, setup.games, brought)

    def sheet(self, translate: Translate) -> RuleSheet | None:
        """Return the sheet for a reader of this language. None: the game has none, or this program
        does not have the game, or not with these options.
        """
        given = dict(self.terms.game.options)
        try:
            return self._spec().rule_sheet(
                self.terms.seats, given, language_of(translate), self.brought
            )
        except RemoteError:
            return None

    def text(self, translate: Translate, width: int) -> list[str]:
        """Draw the sheet for a terminal, or say that there is none."""
        say = phrase_renderer(translate, ())
        sheet = self.sheet(translate)
        if sheet is None:
            return [say(phrase("sheet.none", game=self.terms.game.name))]
        return rules_text(self._spec(), sheet, say, width)

    def _spec(self) -> GameSpec:
        """Return the spec of the game. Raises: UnknownRules."""
        return self.games.spec_of_version(self.terms.game.name, self.terms.rules)
