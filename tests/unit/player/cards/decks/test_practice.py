"""Practice copies of a deck for a match against bots."""

from contextlib import closing
from pathlib import Path

import pytest

from player.cards.decks.loadout import FolderLoadouts
from player.cards.decks.practice import (
    PracticeDeck,
    PracticeLoadouts,
    fitting_decks,
    read_practice,
)
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.client.requirements import Unacceptable, check_brought
from protocol.errors import LocalError
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.owned_card import card_fault
from protocol.games.decks.slot_commitments import face_of
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.view import evaluate
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from tests.support.errors import raises_text
from tests.support.ledger import ANN, BOB, CAROL, MAKER, card, free, maker, traded


def _kind(name: str, strength: int) -> LedgerRecord:
    values: tuple[tuple[str, int | str], ...] = (("element", "fire"), ("strength", strength))
    return sign_record(
        CardType(MAKER.public, None, 0, None, name, "First", None, values, True, ""), MAKER
    )


SPARK, TORCH = _kind("Spark", 3), _kind("Torch", 8)
COPIES = [card(serial, SPARK) for serial in range(8)] + [card(serial, TORCH) for serial in (4, 7)]
STARTED = [maker(), SPARK, TORCH, *COPIES]
DEALT = traded(MAKER, ANN, free(evaluate(STARTED), *COPIES))
NAMES = ["Spark"] * 8 + ["Torch"] * 2


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Make a data folder of Ann's with a deck of ten cards, and one of the rules' own."""
    folder = tmp_path / "ann"
    with closing(LedgerStore(folder, ANN.public, None)) as store:
        store.add([*STARTED, DEALT])
        store.decks.make(NamedDeck("first", "element-duel", True, tuple(one.id for one in COPIES)))
        store.decks.make(NamedDeck("plain", "element-duel", False, tuple(range(10))))
        store.decks.make(NamedDeck("empty", "element-duel", True))
        store.decks.make(NamedDeck("lost", "element-duel", True, (bytes(32),)))
    return folder


def _terms(*options: tuple[str, str]) -> Terms:
    dealing = Selection("verified", (("leavers", "threshold"),))
    return make_terms(Selection("element-duel", options), dealing, Allowance().options(), 2)


def _practice(data: Path) -> PracticeDeck:
    found = read_practice(data, "first")
    assert found is not None
    return found


def _names(loadout: Loadout) -> list[str]:
    return [str(face_of(one, None)["name"]) for one in loadout.cards]


def test_practice_copies_are_owned_by_seat_that_made_them(data: Path) -> None:
    practice = _practice(data)
    for who, other in ((BOB, CAROL), (CAROL, BOB)):
        brings = practice.loadout(who)
        assert _names(brings) == NAMES
        owned = [one for one in brings.cards if isinstance(one, Owned)]
        assert len({one.instance for one in owned}) == len(COPIES)
        assert not any(card_fault(one, who.public) for one in owned)
        assert all(card_fault(one, other.public) for one in owned)
        assert practice.loadout(who).cards == brings.cards


def test_practice_copies_fit_only_table_with_owned_cards(data: Path) -> None:
    brings = _practice(data).loadout(BOB)
    check_brought(_terms(("cards", "owned")), brings)
    with pytest.raises(Unacceptable):
        check_brought(_terms(), brings)


def test_stored_practice_deck_loads_as_same_cards(data: Path, tmp_path: Path) -> None:
    practice, bot = _practice(data), tmp_path / "bot"
    bot.mkdir()
    practice.store(bot, BOB)
    loaded = FolderLoadouts(bot).load(BOB.public, "first")
    assert loaded.cards == practice.loadout(BOB).cards
    FolderLoadouts(bot).check_free(BOB.public, loaded)
    # a match that continues: the folder stays as it is
    PracticeDeck("first", "element-duel", practice.types[:1]).store(bot, BOB)
    assert FolderLoadouts(bot).load(BOB.public, "first").cards == loaded.cards


def test_practice_leaves_cards_of_person_as_they_were(data: Path) -> None:
    practice = _practice(data)
    own = FolderLoadouts(data).load(ANN.public, "first")
    ids = {one.instance for one in own.cards if isinstance(one, Owned)}
    copies = practice.loadout(ANN)
    assert not ids & {one.instance for one in copies.cards if isinstance(one, Owned)}
    PracticeLoadouts(data).check_free(ANN.public, copies)


def test_read_practice_without_owned_cards_is_none(data: Path) -> None:
    assert read_practice(data, "plain") is None


@pytest.mark.parametrize(
    ("name", "said"), [("none", "no deck"), ("empty", "empty"), ("lost", "does not know")]
)
def test_read_practice_of_unplayable_deck_says_why(data: Path, name: str, said: str) -> None:
    with raises_text(LocalError, match=said):
        read_practice(data, name)


def test_fitting_decks_are_those_that_rules_allow(data: Path, tmp_path: Path) -> None:
    with closing(LedgerStore(data, ANN.public, None)) as store:
        few = tuple(one.id for one in COPIES[:9])
        store.decks.make(NamedDeck("few", "element-duel", True, few))
        store.decks.make(NamedDeck("odd", "element-duel", False, (*range(9), 30)))
    found = fitting_decks(data)
    assert found["element-duel"] == ("first", "plain")
    assert found["mau-mau"] == ()
    assert fitting_decks(tmp_path / "nobody") == dict.fromkeys(found, ())
