"""From a named deck to what a seat brings to a match, and what its program knows of the cards of others."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from player.cards.collection import Collection, Known
from player.cards.decks.checking import check_deck, rules_text
from player.cards.decks.shown import Wrong
from player.disk.ledger.database import FILE
from player.disk.ledger.decks import NamedDeck
from player.disk.ledger.marks import default_marks
from player.disk.ledger.store import LedgerStore
from protocol.errors import LocalError, RemoteError
from protocol.games.decks import DeckCard, Owned, Proxy
from protocol.games.decks.held import Brings
from protocol.games.decks.knowing import KnowsLedger, card_of, objection
from protocol.games.decks.own import Knows, KnowsNothing
from protocol.games.decks.slots import face_of
from protocol.view.phrase import phrase

WRONG = {
    Wrong.UNKNOWN: "deck.card.unknown",
    Wrong.UNOWNED: "deck.card.unowned",
    Wrong.BURNT: "deck.card.burnt",
    Wrong.RESERVED: "deck.card.reserved",
    Wrong.TWICE: "deck.card.twice",
}


class KnowsFolder:
    """What a data folder knows of cards (`Knows`): read when it is first asked, which only owned cards do."""

    def __init__(self, data: Path, me: bytes) -> None:
        self._data, self._me = data, me

    @cached_property
    def _ledger(self) -> Knows:
        if not (self._data / FILE).exists():
            return KnowsNothing()
        store = LedgerStore(self._data, self._me, default_marks())
        try:
            known = Known(self._me, store.records())
        except RemoteError:  # of a record that has been changed on disk: nobody else is at fault
            raise LocalError("wrong.cards.file", path=str(self._data / FILE)) from None
        finally:
            store.close()
        return KnowsLedger(known.records, known.view)

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """See `Knows`. Raises: LocalError if the file of cards is damaged."""
        return self._ledger.accepts(card, holder)

    def against(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """See `Knows`. Raises: as `accepts`."""
        return self._ledger.against(card, holder)

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """See `Knows`. Raises: as `accepts`."""
        return self._ledger.defence(card, said)


def brings_of(data: Path, me: bytes, deck: str | None, text: str = "") -> Brings:
    """What a seat of this key brings: the deck of this name, if any, and the rule file with this text. A match that
    goes on has its own from its disk.

    Raises: LocalError if there is no such deck, or one of its cards had better not be played (docs/protocol, 34.4).
    """
    if deck is None:
        return Brings(text=text, knows=KnowsFolder(data, me))
    with _opened(data, me, deck, text) as (named, known):
        return Brings(cards_of(named, known), _rules_of(named, text), KnowsFolder(data, me))


def proxies_of(data: Path, deck: str | None, text: str = "") -> Brings:
    """The same for a seat that has no key of its person's, and so owns nothing. Raises: LocalError."""
    if deck is None:
        return Brings(text=text)
    with _opened(data, b"", deck, text) as (named, known):
        if named.owned:
            raise LocalError("wrong.deck.nobody", name=deck)
        return Brings(cards_of(named, known), _rules_of(named, text))


def check_still_free(data: Path, me: bytes, brings: Brings) -> None:
    """Whether this key may still bring these cards, which it could when they were chosen: somebody who waits may trade.

    For a match that is remembered already, so that no trade begins after the question. Raises: LocalError.
    """
    owned = [card for card in brings.cards if isinstance(card, Owned)]
    if not owned:
        return
    store = LedgerStore(data, me, default_marks())  # it waits for whoever is signing now
    try:
        known = Collection(store, me)
        reserved = known.reserved()
        for card in owned:
            wrong = objection(card, me, known.view, reserved)
            if wrong not in (None, Wrong.TWICE):  # of a creator's fault all the others hear, and nobody is named
                name = str(face_of(card, None)["name"])
                raise LocalError("wrong.deck.card.since", card=name, why=phrase(WRONG[Wrong(wrong)]))
    except RemoteError:  # as in `KnowsFolder`
        raise LocalError("wrong.cards.file", path=str(data / FILE)) from None
    finally:
        store.close()


@contextmanager
def _opened(data: Path, me: bytes, deck: str, text: str) -> Iterator[tuple[NamedDeck, Known]]:
    if not (data / FILE).exists():
        raise LocalError("wrong.deck.none", name=deck)
    store = LedgerStore(data, me, default_marks())
    try:
        known = Collection(store, me)
        known.rules = text
        yield store.decks.named(deck), known
    finally:
        store.close()


def _rules_of(deck: NamedDeck, text: str) -> str:
    """The text that the numbers of proxies mean something by; owned cards may be played by any."""
    return text if deck.owned else rules_text(deck.rules, text)


def cards_of(deck: NamedDeck, known: Known) -> tuple[DeckCard, ...]:
    """The cards of a deck as they are brought. Raises: LocalError for one that had better not be played, or none."""
    if not deck.cards:
        raise LocalError("wrong.deck.empty", name=deck.name)
    for card in check_deck(deck, known).cards:
        if card.wrong is not None:
            raise LocalError("wrong.deck.card.now", name=deck.name, card=card.name, why=phrase(WRONG[card.wrong]))
    return tuple(_card(card, known) for card in deck.cards)


def _card(card: bytes | int, known: Known) -> DeckCard:
    if isinstance(card, int):
        return Proxy(card)
    found = card_of(card, known.records, known.view, known.index.types)
    assert found is not None, "it has been checked"
    return found
