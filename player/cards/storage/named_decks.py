"""Named decks in a data folder: lists of cards that a person made. A trade of a card changes no
deck.
"""

from collections.abc import Callable
from dataclasses import dataclass

from player.cards.storage.database import Database
from protocol.errors import LocalError
from protocol.limits import MAX_DECK, MAX_NAME
from protocol.view.harmless import is_safe_to_show
from protocol.wire import decode, encode


@dataclass(frozen=True)
class NamedDeck:
    """A list of cards under a name. `rules`: the rules that the deck is for.

    `owned` true: ids of instances, each at most once. `owned` false: numbers of cards of the rules,
    with repetition.
    """

    name: str
    rules: str
    owned: bool
    cards: tuple[bytes | int, ...] = ()


class DeckStore:
    """Named decks of a data folder. Every change is on disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[NamedDeck, ...]:
        """Return all decks by name. Raises: LocalError."""
        rows = self._database.rows("SELECT name, rules, owned, cards FROM decks ORDER BY name")
        return tuple(
            NamedDeck(name, rules, bool(owned), tuple(decode(cards)))
            for name, rules, owned, cards in rows
        )

    def named(self, name: str) -> NamedDeck:
        """Return the deck with this name. Raises: LocalError if none has it."""
        found = next((deck for deck in self.all() if deck.name == name), None)
        if found is None:
            raise LocalError("wrong.deck.none", name=name)
        return found

    def make(self, deck: NamedDeck) -> None:
        """Store a new deck. Raises: LocalError if its name is taken or invalid."""
        check_deck_name(deck.name)
        with self._database.transaction():
            self._free(deck.name)
            self._put(deck)

    def change(self, name: str, edit: Callable[[NamedDeck], NamedDeck]) -> None:
        """Replace the deck `name` by the result of `edit`, which may have another name.

        No other program changes the deck between reading and writing. Raises: LocalError, and what
        `edit` raises; then nothing has changed.
        """
        with self._database.transaction():
            deck = edit(self.named(name))
            check_deck_name(deck.name)
            if len(deck.cards) > MAX_DECK:
                raise LocalError("wrong.deck.full", most=MAX_DECK)
            if deck.name != name:
                self._free(deck.name)
            self._database.run("DELETE FROM decks WHERE name = ?", name)
            self._put(deck)

    def delete(self, name: str) -> None:
        """Delete a deck. Raises: LocalError if none has this name."""
        if not self._database.run("DELETE FROM decks WHERE name = ?", name):
            raise LocalError("wrong.deck.none", name=name)

    def _free(self, name: str) -> None:
        if any(deck.name == name for deck in self.all()):
            raise LocalError("wrong.deck.taken", name=name)

    def _put(self, deck: NamedDeck) -> None:
        row = deck.name, deck.rules, int(deck.owned), encode(list(deck.cards))
        self._database.run("INSERT INTO decks VALUES (?, ?, ?, ?)", *row)


def check_deck_name(name: str) -> None:
    """Check the name of a deck: one line, without control characters for a terminal. Raises:
    LocalError.
    """
    if not 1 <= len(name) <= MAX_NAME or name != name.strip() or not is_safe_to_show(name):
        raise LocalError("wrong.deck.name", most=MAX_NAME)
