"""Named decks on the cards page: the material for decks, and changes to them."""

from typing import Any

from player.cards.collection import Collection
from player.cards.decks.deck_check import check_deck, rules_models
from player.cards.decks.deck_editing import (
    add_card,
    change_rules,
    fill_deck,
    make_deck,
    remove_card,
    rename_deck,
)
from player.cards.decks.deck_models import DeckShown
from protocol.errors import LocalError


class DeckShelf:
    """Decks of one collection."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def listed(self) -> dict[str, Any]:
        """Return the names of all decks, and all rules for decks with the cards that they
        define.
        """
        return {
            "decks": [deck.name for deck in self._collection.store.decks.all()],
            "rules": rules_models(self._collection.rules),
        }

    def checked(self, name: str) -> DeckShown:
        """Return a deck with all reasons against playing it. Raises: LocalError if no deck has this
        name.
        """
        return check_deck(self._collection.store.decks.named(name), self._collection)

    def edit(self, asked: dict[str, Any]) -> None:
        """Carry out a change that the page requests. Raises: LocalError."""
        collection = self._collection
        match asked:
            case {"do": "new", "name": name, "rules": rules, "owned": owned}:
                make_deck(collection, name, rules, owned=owned)
            case {"do": "rename", "name": name, "to": to}:
                rename_deck(collection, name, to)
            case {"do": "rules", "name": name, "rules": rules}:
                change_rules(collection, name, rules)
            case {"do": "put", "name": name, "id": card}:
                add_card(collection, name, card)
            case {"do": "take", "name": name, "id": card}:
                remove_card(collection, name, card)
            case {"do": "fill", "name": name}:
                fill_deck(collection, name)
            case {"do": "delete", "name": name}:
                collection.store.decks.delete(name)
            case _:
                raise LocalError("web.not_offered")
