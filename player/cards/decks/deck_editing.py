"""Changes to named decks, for every screen."""

from dataclasses import replace

from player.cards.collection import Collection
from player.cards.decks.deck_check import deck_rules, playable_faces
from player.cards.storage.named_decks import NamedDeck
from protocol.errors import LocalError
from protocol.games.decks import Face
from protocol.limits import MAX_DECK


def make_deck(collection: Collection, name: str, rules: str, *, owned: bool) -> None:
    """Create an empty deck. Raises: LocalError."""
    _check_rules(rules, collection)
    collection.store.decks.make(NamedDeck(name, rules, owned))


def rename_deck(collection: Collection, name: str, to: str) -> None:
    """Rename a deck. Raises: LocalError."""
    collection.store.decks.change(name, lambda deck: replace(deck, name=to))


def change_rules(collection: Collection, name: str, rules: str) -> None:
    """Assign a deck to other rules. Raises: LocalError, also if the deck has proxies: these belong
    to their rules.
    """
    _check_rules(rules, collection)

    def changed(deck: NamedDeck) -> NamedDeck:
        if not deck.owned and deck.cards and rules != deck.rules:
            raise LocalError("wrong.deck.bound", rules=deck.rules)
        return replace(deck, rules=rules)

    collection.store.decks.change(name, changed)


def add_card(collection: Collection, name: str, card: str) -> None:
    """Add a card to a deck. `card`: its `DeckCardShown.id`. Raises: LocalError if this deck cannot
    have the card.
    """

    def added(deck: NamedDeck) -> NamedDeck:
        return replace(deck, cards=(*deck.cards, _parse_card(deck, collection, card)))

    collection.store.decks.change(name, added)


def remove_card(collection: Collection, name: str, card: str) -> None:
    """Remove one copy of a card from a deck. Raises: LocalError if the deck has no such card."""

    def removed(deck: NamedDeck) -> NamedDeck:
        cards = list(deck.cards)
        last = max((at for at, one in enumerate(cards) if _card_id(one) == card), default=None)
        if last is None:
            raise LocalError("wrong.deck.card")
        del cards[last]
        return replace(deck, cards=tuple(cards))

    collection.store.decks.change(name, removed)


def fill_deck(collection: Collection, name: str) -> None:
    """Add own cards to a deck of own cards until its rules allow it: the highest numbers first, and
    no card that brings another objection. Too few cards leave it unfinished. Raises: LocalError.
    """
    deck = collection.store.decks.named(name)
    contract = deck_rules(collection.rules).get(deck.rules)
    if not deck.owned or contract is None:
        raise LocalError("wrong.deck.card")
    inside = playable_faces(deck.cards, collection)
    free = set(collection.view.held_by(collection.me)).difference(deck.cards)
    cards = list(deck.cards)
    faces = list(inside.values())
    wrong = set(contract.deck_errors(faces))
    for card, face in sorted(playable_faces(free, collection).items(), key=_strongest_first):
        if not wrong or len(cards) >= MAX_DECK:
            break
        found = set(contract.deck_errors([*faces, face]))
        if found <= wrong:
            wrong = found
            cards.append(card)
            faces.append(face)
    collection.store.decks.change(name, lambda now: replace(now, cards=tuple(cards)))


def _strongest_first(found: tuple[bytes | int, Face]) -> tuple[int, str, bytes | int]:
    card, face = found
    number = max((value for value in face.values() if type(value) is int), default=0)
    return -number, str(face["name"]), card


def _card_id(card: bytes | int) -> str:
    return card.hex() if isinstance(card, bytes) else str(card)


def _parse_card(deck: NamedDeck, collection: Collection, text: str) -> bytes | int:
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
