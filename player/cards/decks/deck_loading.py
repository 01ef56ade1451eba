"""Loadouts from named decks and the stored cards of a data folder.

Other packages use `player.cards.decks.loadout`, which imports this module on first use.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from player.cards.collection import CardRecords
from player.cards.decks.deck_check import check_deck, rules_text
from player.cards.decks.deck_models import CardProblem
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerReader
from player.cards.storage.named_decks import NamedDeck
from protocol.errors import LocalError, RemoteError
from protocol.games.decks import DeckCard, Owned, ProxyCard
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ledger_ownership import LedgerOwnership, card_of, objection
from protocol.games.decks.ownership import NoOwnership, Ownership
from protocol.games.decks.slot_commitments import face_of
from protocol.view.phrase import phrase

WRONG = {
    CardProblem.UNKNOWN: "deck.card.unknown",
    CardProblem.UNOWNED: "deck.card.unowned",
    CardProblem.BURNT: "deck.card.burnt",
    CardProblem.RESERVED: "deck.card.reserved",
    CardProblem.TWICE: "deck.card.twice",
    CardProblem.UNPROVEN: "deck.card.unproven",
    CardProblem.LONG: "deck.card.long",
    CardProblem.UNSHOWN: "deck.card.unshown",
}


class _ReadRecords(CardRecords):
    """Records of a data folder as they were read, with the cards reserved at that time."""

    def __init__(self, me: bytes, reader: LedgerReader) -> None:
        """Read all records. Raises: LocalError if one of them was changed on disk."""
        self._reserved = reader.reserved(me)
        super().__init__(me, reader.records())

    def reserved(self) -> frozenset[bytes]:
        return self._reserved


def load_ownership(data: Path, me: bytes) -> Ownership:
    """Return the ownership oracle of a data folder. Raises: LocalError if the file of cards is
    damaged.
    """
    if not (data / FILE).exists():
        return NoOwnership()
    with open_reader(data) as reader:
        known = CardRecords(me, reader.records())
        distrusted = frozenset(key for key, trusted in reader.marks().items() if not trusted)
    return LedgerOwnership(known.records, known.view, distrusted)


def load_deck(data: Path, me: bytes, deck: str, text: str) -> Loadout:
    """Load the deck `deck` for the key `me`. An empty key owns no cards. Raises: LocalError."""
    with open_deck(data, me, deck, text) as (named, known):
        if named.owned and not me:
            raise LocalError("wrong.deck.nobody", name=deck)
        return Loadout(load_cards(named, known), _deck_rules(named, text))


def check_free(data: Path, me: bytes, owned: Iterable[Owned]) -> None:
    """Implement `player.cards.decks.loadout.FolderLoadouts.check_free`. Raises: LocalError."""
    # the reader waits for a program that signs a trade now
    with open_reader(data) as reader:
        known = _ReadRecords(me, reader)
    for card in owned:
        wrong = objection(card, me, known.records, known.view, known.reserved())
        # a fault of the creator: every seat hears of it, and no player is blamed
        if wrong not in (None, CardProblem.TWICE):
            name = str(face_of(card, None)["name"])
            raise LocalError(
                "wrong.deck.card.since", card=name, why=phrase(WRONG[CardProblem(wrong)])
            )


@contextmanager
def open_reader(data: Path) -> Iterator[LedgerReader]:
    """Open the cards of a data folder for reading. Raises: LocalError, also if a record was changed
    on disk: then nobody else is at fault.
    """
    with closing(LedgerReader(data)) as reader:
        try:
            yield reader
        except RemoteError:
            raise LocalError("wrong.cards.file", path=str(data / FILE)) from None


@contextmanager
def open_deck(
    data: Path, me: bytes, deck: str, text: str
) -> Iterator[tuple[NamedDeck, CardRecords]]:
    """Open the deck `deck`, with the records of the folder as the key `me` reads them. Raises:
    LocalError if no such deck exists.
    """
    if not (data / FILE).exists():
        raise LocalError("wrong.deck.none", name=deck)
    with open_reader(data) as reader:
        known = _ReadRecords(me, reader)
        known.rules = text
        named = reader.decks.named(deck)
    yield named, known


def _deck_rules(deck: NamedDeck, text: str) -> str:
    """Return the rule file that defines the numbers of proxies. Owned cards may be played by any
    rules.
    """
    return text if deck.owned else rules_text(deck.rules, text)


def load_cards(deck: NamedDeck, known: CardRecords) -> tuple[DeckCard, ...]:
    """Return the cards of a deck. Raises: LocalError if the deck is empty or a card cannot be
    played.
    """
    if not deck.cards:
        raise LocalError("wrong.deck.empty", name=deck.name)
    for card in check_deck(deck, known).cards:
        if card.wrong is not None:
            raise LocalError(
                "wrong.deck.card.now", name=deck.name, card=card.name, why=phrase(WRONG[card.wrong])
            )
    return tuple(_card(card, known) for card in deck.cards)


def _card(card: bytes | int, known: CardRecords) -> DeckCard:
    if isinstance(card, int):
        return ProxyCard(card)
    found = card_of(card, known.records, known.view, known.index.types)
    assert found is not None, "it has been checked"
    return found
