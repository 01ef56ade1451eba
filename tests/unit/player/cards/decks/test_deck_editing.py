"""Named decks: kept on disk, and checked by their rules and by the state of each card."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from player.cards.decks.deck_check import check_deck, deck_rules, rules_models
from player.cards.decks.deck_editing import (
    add_card,
    change_rules,
    fill_deck,
    make_deck,
    remove_card,
    rename_deck,
)
from player.cards.decks.deck_loading import WRONG
from player.cards.decks.deck_models import CardProblem, DeckShown
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.ui.web.cards.cards_screen import to_json
from protocol.errors import LocalError
from protocol.i18n import available_languages, load_translator
from protocol.ledger.view import evaluate
from protocol.limits import MAX_DECK
from tests.page.collectors import Person, collector, people
from tests.support.ledger import ANN, BOB, CAROL, free, traded


@pytest.fixture
def ann(tmp_path: Path) -> Iterator[Person]:
    with people(tmp_path) as (ann, _):
        yield ann


def _checked(ann: Person, name: str) -> DeckShown:
    return check_deck(ann.collection.store.decks.named(name), ann.collection)


def _owned(ann: Person) -> None:
    make_deck(ann.collection, "mine", "element-duel", owned=True)
    for card in ann.cards:
        add_card(ann.collection, "mine", card.hex())


@pytest.mark.slow
def test_deck_is_rejected_until_it_fits_its_rules(ann: Person):
    make_deck(ann.collection, "duel", "element-duel", owned=False)
    for number in range(11):
        assert _checked(ann, "duel").legal == (number == 10)
        add_card(ann.collection, "duel", str(number))
    assert _checked(ann, "duel").objections == ("a deck has 10 cards",)
    remove_card(ann.collection, "duel", "4")
    shown = _checked(ann, "duel")
    assert (shown.legal, shown.count, shown.objections) == (True, 10, ())
    assert "4" not in [card.id for card in shown.cards]


def test_deck_may_repeat_rule_cards_and_not_owned_copies(ann: Person):
    make_deck(ann.collection, "duel", "element-duel", owned=False)
    for _ in range(2):
        add_card(ann.collection, "duel", "3")
    (card,) = _checked(ann, "duel").cards
    assert (card.name, card.count) == ("Willow", 2)
    _owned(ann)
    with pytest.raises(LocalError):
        add_card(ann.collection, "mine", ann.cards[0].hex())
    assert _checked(ann, "mine").count == 2


@pytest.mark.parametrize("card", ["30", "-1", "03", "²", "", "00" * 32])
def test_deck_rejects_card_unknown_to_the_rules(ann: Person, card: str):
    make_deck(ann.collection, "duel", "element-duel", owned=False)
    with pytest.raises(LocalError):
        add_card(ann.collection, "duel", card)


def test_deck_rejects_card_of_another_owner(tmp_path: Path):
    with people(tmp_path) as (ann, bob):
        make_deck(ann.collection, "mine", "element-duel", owned=True)
        with pytest.raises(LocalError):
            add_card(ann.collection, "mine", bob.cards[0].hex())


def test_deck_card_given_away_stays_listed_and_is_marked(ann: Person):
    _owned(ann)
    seen = evaluate(ann.collection.records)
    first = ann.collection.find(ann.cards[0])
    assert first is not None
    ann.collection.add([traded(ANN, BOB, free(seen, first))])
    cards = {card.id: card.wrong for card in _checked(ann, "mine").cards}
    assert cards == {ann.cards[0].hex(): "unowned", ann.cards[1].hex(): None}


def test_deck_card_given_away_twice_is_marked_burnt(ann: Person):
    _owned(ann)
    seen = evaluate(ann.collection.records)
    first = ann.collection.find(ann.cards[0])
    assert first is not None
    ann.collection.add([traded(ANN, one, free(seen, first)) for one in (BOB, CAROL)])
    assert _checked(ann, "mine").cards[0].wrong is not None and not _checked(ann, "mine").legal


def test_deck_unknown_card_is_marked_and_missing_rules_reported(ann: Person):
    decks = ann.collection.store.decks
    decks.make(NamedDeck("old", "chess", True, (bytes(32),)))
    decks.make(NamedDeck("older", "chess", False, (7,)))
    for name in ("old", "older"):
        shown = _checked(ann, name)
        assert [card.wrong for card in shown.cards] == ["unknown"] and not shown.legal
        (objection,) = shown.objections
        assert not isinstance(objection, str) and objection.key == "deck.rules.none"


def test_decks_are_saved_under_their_names(tmp_path: Path):
    with people(tmp_path) as (ann, _):
        _owned(ann)
        make_deck(ann.collection, "b", "mau-mau", owned=False)
        rename_deck(ann.collection, "mine", "a")
        change_rules(ann.collection, "a", "mau-mau")
        kept = ann.collection.store.decks.all()
        assert kept == (
            NamedDeck("a", "mau-mau", True, ann.cards),
            NamedDeck("b", "mau-mau", False),
        )
        for change in (
            lambda: make_deck(ann.collection, "a", "mau-mau", owned=False),
            lambda: rename_deck(ann.collection, "a", "b"),
            lambda: rename_deck(ann.collection, "none", "c"),
            lambda: ann.collection.store.decks.delete("none"),
            lambda: make_deck(ann.collection, "c", "mau-mau-shared", owned=False),
        ):
            with pytest.raises(LocalError):
                change()
        other = LedgerStore(tmp_path / "ann", ANN.public, None)
        assert other.decks.all() == kept
        other.close()
        ann.collection.store.decks.delete("b")
        assert ann.collection.store.decks.all() == kept[:1]


@pytest.mark.parametrize("name", ["", " a", "a\n", "\x1b[2J", "‮tac", "a" * 25, "\ud800"])
def test_deck_name_with_control_characters_is_refused(ann: Person, name: str):
    with pytest.raises(LocalError):
        make_deck(ann.collection, name, "mau-mau", owned=False)


def test_rule_cards_are_bound_to_their_rules(ann: Person):
    make_deck(ann.collection, "duel", "element-duel", owned=False)
    change_rules(ann.collection, "duel", "mau-mau")
    add_card(ann.collection, "duel", "0")
    with pytest.raises(LocalError):
        change_rules(ann.collection, "duel", "element-duel")


def test_deck_has_a_maximum_of_cards(ann: Person):
    ann.collection.store.decks.make(NamedDeck("full", "mau-mau", False, (0,) * MAX_DECK))
    with pytest.raises(LocalError):
        add_card(ann.collection, "full", "0")


def test_every_starter_deck_fits_its_own_rules(ann: Person):
    for name, contract in deck_rules().items():
        assert check_deck(NamedDeck("x", name, False, contract.starter), ann.collection).legal
    assert [len(rules.cards) for rules in rules_models()] == [
        len(one.cards) for one in deck_rules().values()
    ]


def test_decks_can_be_shown_as_json(ann: Person):
    _owned(ann)
    said = to_json((_checked(ann, "mine"), rules_models()), lambda phrase: phrase.key)
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("problem", list(CardProblem))
def test_every_problem_of_a_card_has_words_on_every_screen(problem: CardProblem):
    rows = (files("player.ui.web") / "static" / "decks" / "rows.js").read_text("utf-8")
    assert f'  {problem}: () => t("cardpage.deck.wrong.{problem}")' in rows
    for language in available_languages():
        say = load_translator(language)
        for key in (WRONG[problem], f"cardpage.deck.wrong.{problem}"):
            assert say(key, None) != key


@pytest.mark.slow
def test_deck_is_filled_with_the_strongest_cards_until_it_is_legal(tmp_path: Path):
    with collector(tmp_path) as ann:
        make_deck(ann.collection, "mine", "element-duel", owned=True)
        weak = next(one for one in ann.showing().mine() if one.name == "Sproutling")
        add_card(ann.collection, "mine", weak.id)
        fill_deck(ann.collection, "mine")
        shown = _checked(ann, "mine")
        strengths = [dict(card.values)["strength"] for card in shown.cards]
        assert shown.legal and strengths == [1, 10, 10, 10, 10, 10, 9, 9, 9, 9]
        fill_deck(ann.collection, "mine")
        assert _checked(ann, "mine") == shown


@pytest.mark.slow
def test_deck_of_too_few_cards_is_filled_with_all_of_them(tmp_path: Path):
    with collector(tmp_path) as ann:
        for at in range(0, 45, 9):
            given = [ann.collection.view.next_transfer(one, 0) for one in ann.cards[at : at + 9]]
            ann.collection.add([traded(ANN, BOB, given)])
        make_deck(ann.collection, "mine", "element-duel", owned=True)
        fill_deck(ann.collection, "mine")
        shown = _checked(ann, "mine")
        assert {card.id for card in shown.cards} == {one.hex() for one in ann.cards[45:]}
        assert not shown.legal


@pytest.mark.slow
def test_deck_is_not_filled_with_cards_that_its_rules_forbid(ann: Person):
    make_deck(ann.collection, "mine", "element-duel", owned=True)
    fill_deck(ann.collection, "mine")  # no card of hers has an element
    assert _checked(ann, "mine").cards == ()
    make_deck(ann.collection, "lent", "element-duel", owned=False)
    with pytest.raises(LocalError):
        fill_deck(ann.collection, "lent")
