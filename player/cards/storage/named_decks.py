"""Named decks in a data folder: lists that their person made. What becomes of their cards changes
none of them.
"""

from dataclasses import dataclass

from player.cards.storage.database import Database
from protocol.errors import LocalError
from protocol.identity.names import is_safe_to_show
from protocol.limits import MAX_DECK, MAX_NAME
from protocol.wire import decode, encode


@dataclass(frozen=True)
class NamedDeck:
    """A list of cards, for rules that come along. `owned`: of cards that somebody owns, by the ids
    of their instances, each once; else of the rules' own cards, by number, any of them several
    times."""

    name: str
    rules: str
    owned: bool
    cards: tuple[bytes | int, ...] = ()


class Decks:
    """All of them. Every change is on disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[NamedDeck, ...]:
        """By name. Raises: LocalError."""
        rows = self._database.rows("SELECT name, rules, owned, cards FROM decks ORDER BY name")
        return tuple(
            NamedDeck(name, rules, bool(owned), tuple(decode(cards)))
            for name, rules, owned, cards in rows
        )

    def named(self, name: str) -> NamedDeck:
        """The deck of this name. Raises: LocalError if there is none."""
        found = next((deck for deck in self.all() if deck.name == name), None)
        if found is None:
            raise LocalError("wrong.deck.none", name=name)
        return found

    def make(self, deck: NamedDeck) -> None:
        """A new one. Raises: LocalError for a name that is taken, or none."""
        check_deck_name(deck.name)
        with self._database.transaction():
            self._free(deck.name)
            self._put(deck)

    def change(self, name: str, deck: NamedDeck) -> None:
        """Put a deck in place of the one of this name; it may have another name. Raises:
        LocalError.
        """
        check_deck_name(deck.name)
        if len(deck.cards) > MAX_DECK:
            raise LocalError("wrong.deck.full", most=MAX_DECK)
        with self._database.transaction():
            self.named(name)
            if deck.name != name:
                self._free(deck.name)
            self._database.run("DELETE FROM decks WHERE name = ?", name)
            self._put(deck)

    def delete(self, name: str) -> None:
        """Forget one. Raises: LocalError if there is none of this name."""
        if not self._database.run("DELETE FROM decks WHERE name = ?", name):
            raise LocalError("wrong.deck.none", name=name)

    def _free(self, name: str) -> None:
        if any(deck.name == name for deck in self.all()):
            raise LocalError("wrong.deck.taken", name=name)

    def _put(self, deck: NamedDeck) -> None:
        row = deck.name, deck.rules, int(deck.owned), encode(list(deck.cards))
        self._database.run("INSERT INTO decks VALUES (?, ?, ?, ?)", *row)


def check_deck_name(name: str) -> None:
    """Raise `LocalError` unless this can be what a deck is called: one line that does nothing to a
    terminal.
    """
    if not 1 <= len(name) <= MAX_NAME or name != name.strip() or not is_safe_to_show(name):
        raise LocalError("wrong.deck.name", most=MAX_NAME)
