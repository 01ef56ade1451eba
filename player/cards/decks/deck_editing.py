"""What a person does to their named decks, at whichever screen."""

from dataclasses import replace

from player.cards.collection import Collection
from player.cards.decks.deck_check import deck_rules
from player.cards.storage.named_decks import NamedDeck
from protocol.errors import LocalError


def make_deck(collection: Collection, name: str, rules: str, *, owned: bool) -> None:
    """A new one without cards. Raises: LocalError."""
    _check_rules(rules, collection)
    collection.store.decks.make(NamedDeck(name, rules, owned))


def rename_deck(collection: Collection, name: str, to: str) -> None:
    """Call it something else. Raises: LocalError."""
    decks = collection.store.decks
    decks.change(name, replace(decks.named(name), name=to))


def play_by(collection: Collection, name: str, rules: str) -> None:
    """Have it for other rules. Raises: LocalError, also where its cards are those of its rules."""
    _check_rules(rules, collection)
    deck = collection.store.decks.named(name)
    if not deck.owned and deck.cards and rules != deck.rules:
        raise LocalError("wrong.deck.bound", rules=deck.rules)
    collection.store.decks.change(name, replace(deck, rules=rules))


def put_in(collection: Collection, name: str, card: str) -> None:
    """One more card, by what it is called in `DeckCardShown.id`. Raises: LocalError if it cannot be
    in this deck.
    """
    deck = collection.store.decks.named(name)
    collection.store.decks.change(
        name, replace(deck, cards=(*deck.cards, _card(deck, collection, card)))
    )


def take_out(collection: Collection, name: str, card: str) -> None:
    """One of this card less. Raises: LocalError if there is none in the deck."""
    deck = collection.store.decks.named(name)
    cards = list(deck.cards)
    last = max((at for at, one in enumerate(cards) if _called(one) == card), default=None)
    if last is None:
        raise LocalError("wrong.deck.card")
    del cards[last]
    collection.store.decks.change(name, replace(deck, cards=tuple(cards)))


def _called(card: bytes | int) -> str:
    return card.hex() if isinstance(card, bytes) else str(card)


def _card(deck: NamedDeck, collection: Collection, text: str) -> bytes | int:
    if deck.owned:
        mine = (card for card in collection.view.held_by(collection.me) if card.hex() == text)
        card = next(mine, None)
        if card is not None and card not in deck.cards:
            return card
    else:
        contract = deck_rules(collection.rules).get(deck.rules)
        names = [str(number) for number in range(len(contract.cards) if contract else 0)]
        if text in names:
            return names.index(text)
    raise LocalError("wrong.deck.card")


def _check_rules(rules: str, collection: Collection) -> None:
    known = deck_rules(collection.rules)
    if rules not in known:
        raise LocalError("wrong.deck.rules", known=", ".join(known))
