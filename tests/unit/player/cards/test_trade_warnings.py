"""Warnings before a trade: a card that a deck needs, and creators whom the person has not marked."""

from contextlib import closing
from pathlib import Path

from player.cards.card_presenter import CardPresenter
from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.cards.trades.trader import proposal
from protocol.i18n import english
from protocol.ledger.trading.events import TradeSummary
from protocol.view.text import phrase_renderer
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, maker, slot_of, trade_of, traded

ONE, TWO = card(1), card(2)
GIVEN = traded(MAKER, ANN, [slot_of(one.id) for one in (ONE, TWO)])


def _warnings(data: Path, decks: dict[str, tuple[bytes, ...]]) -> list[str]:
    """Return what Ann reads before she gives the first card to Bob for nothing."""
    with closing(LedgerStore(data, ANN.public, None)) as store:
        store.add([maker(), TYPE, ONE, TWO, GIVEN])
        for name, cards in decks.items():
            store.decks.make(NamedDeck(name, "element-duel", True, cards))
        collection = Collection(store, ANN.public)
        trade = trade_of(ANN, BOB, [slot_of(ONE.id, GIVEN.id)])
        terms = TradeSummary(bytes(32), trade, (), (ONE.id,), (), (), False, ())
        shown = proposal(CardPresenter(collection, {}), collection, terms, BOB.public)
        say = phrase_renderer(english, ())
        return [say(warning) for warning in shown.warnings]


def test_trade_of_card_in_decks_names_each_deck(tmp_path: Path) -> None:
    warnings = _warnings(tmp_path, {"first": (ONE.id, TWO.id), "other": (TWO.id,), "x": (ONE.id,)})
    lacking = [text for text in warnings if "cannot be played without" in text]
    assert lacking == [
        f"your deck {name} needs Salamander, and cannot be played without it"
        for name in ("first", "x")
    ]


def test_trade_of_card_in_no_deck_says_nothing_of_decks(tmp_path: Path) -> None:
    assert not any("deck" in text for text in _warnings(tmp_path, {"other": (TWO.id,)}))


def test_trade_does_not_warn_creators_of_themselves(tmp_path: Path) -> None:
    for person, warned in ((MAKER, False), (BOB, True)):
        with closing(LedgerStore(tmp_path, person.public, None)) as store:
            store.add([maker(), TYPE, ONE, TWO, GIVEN])
            collection = Collection(store, person.public)
            trade = trade_of(ANN, person, [slot_of(ONE.id, GIVEN.id)])
            terms = TradeSummary(
                bytes(32), trade, (ONE.id,), (), ((MAKER.public, None),), (), False, ()
            )
            shown = proposal(CardPresenter(collection, {}), collection, terms, ANN.public)
            said = [phrase_renderer(english, ())(warning) for warning in shown.warnings]
            assert any("anybody can make cards" in text for text in said) is warned
