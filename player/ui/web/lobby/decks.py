"""The choice of a deck for a table, on the page: the decks, and what is wrong with each."""

from typing import Any

from commandline.terms_flags import accepted_options
from player.client.loadouts import NO_CREATORS, Creators, DeckChoices
from protocol.errors import LocalError
from protocol.games.decks.accepted_lists import CREATORS
from protocol.games.registry import Games
from protocol.match.terms import Terms
from protocol.options import OptionList
from protocol.view.phrase import Phrase
from protocol.view.text import Say


class DeckChoice:
    """The decks for the tables of one visit. Answers about a match are stored: a page asks at every
    change.
    """

    def __init__(self, decks: DeckChoices | None, games: Games, say: Say) -> None:
        """`decks` None: this person has none to choose from."""
        self.text = decks.text if decks else ""
        self._decks = decks
        self._games = games
        self._say = say
        self._creators: Creators | None = None
        self._seen: dict[Terms, dict[str, Any] | None] = {}

    def shown(self, terms: Terms) -> dict[str, Any] | None:
        """Return the choices for a field, and the deck that is brought unless the person chooses
        another ("" is none).
        """
        if terms not in self._seen:
            self._seen[terms] = self._shown(terms)
        return self._seen[terms]

    def wrong(self, name: str | None, terms: Terms) -> Phrase | None:
        """Return why nobody can sit down with this choice (None: the usual one); None if everything
        is right.
        """
        if self._decks:
            return self._decks.wrong(self.of(name, terms), terms, self._games)
        return None

    def of(self, name: str | None, terms: Terms) -> str | None:
        """The deck that is meant, if any."""
        shown = self.shown(terms)
        if shown is None:
            return None
        return (shown["value"] if name is None else name) or None

    def creators(self, terms: Terms) -> Creators:
        """Return what the person knows about the creators whom these terms name. The cards are read
        once for all tables.
        """
        if self._decks is None or CREATORS.names[0] not in dict(terms.game.options):
            return NO_CREATORS
        if self._creators is None:
            self._creators = self._decks.creators()
        return self._creators

    def accepted(self, text: str) -> OptionList:
        """Return the options for conditions on cards: words of `--cards` with commas between them.
        Raises: LocalError.
        """
        words = [word.strip() for word in text.split(",") if word.strip()]
        return accepted_options(self._decks.name_creators(words) if self._decks else words)

    def _shown(self, terms: Terms) -> dict[str, Any] | None:
        if self._decks:
            found = self._decks.for_match(terms, self._games)
        else:
            found = None
        if found is None or self._decks is None:
            return None
        names = tuple(
            dict.fromkeys(("", *([self._decks.usual] if self._decks.usual else ()), *found))
        )
        choices = [
            {"name": name, "wrong": self._told(self._decks.wrong(name or None, terms, self._games))}
            for name in names
        ]
        best = (one["name"] for one in sorted(choices, key=lambda one: bool(one["wrong"])))
        return {"value": self._decks.usual or next(best), "choices": choices}

    def _told(self, wrong: Phrase | None) -> str | None:
        return None if wrong is None else self._say(wrong)


def deck_named(value: object) -> str | None:
    """Read a page's choice: the name of a deck, "" for none, nothing for the usual one. Raises:
    LocalError.
    """
    if value is not None and type(value) is not str:
        raise LocalError("form.none")
    return value
