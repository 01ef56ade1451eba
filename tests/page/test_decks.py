"""Deck building on the page of a person's cards, by clicks and by keys; errors of the rules appear
at once.
"""

from pathlib import Path

import pytest

from player.cards.decks.deck_editing import add_card, make_deck
from player.cards.storage.named_decks import NamedDeck
from protocol.games.scripted.rule_file.built_in import built_in_text, rule_digest
from tests.page.collectors import album, collector, people
from tests.page.visits import PHONE, Visits, sideways, violations

HOSTILE = "<img onerror=alert(1)>"
LEGAL = ".verdict .good"


@pytest.mark.match
async def test_deck_is_built_by_keys_and_clicks(visits: Visits, tmp_path: Path):
    with collector(tmp_path) as ann:
        decks = ann.collection.store.decks
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=decks]")
            await tab.fill("#deck-new", HOSTILE)
            await tab.select_option("#deck-new-of", "own")
            await tab.press("#deck-new", "Enter")
            await tab.wait_for_selector(f".verdict h2:has-text('{HOSTILE}')")
            await tab.focus("#deck-find")
            for row in range(1, 11):
                assert await tab.locator(LEGAL).count() == 0
                await tab.keyboard.press("Enter")
                await tab.wait_for_selector(f".deck > li:nth-child({row}) button")
            await tab.wait_for_selector(LEGAL)
            await tab.fill("#deck-find", "tide metal")
            assert await tab.locator(".decks .cards > li:visible").count() == 0
            await tab.fill("#deck-find", "WATER 8")
            await tab.click(".decks .card:visible")
            await tab.wait_for_selector(".objections bdi:text-is('a deck has 10 cards')")
            assert await tab.locator(".decks .card[aria-disabled=true]:visible").count() == 1
            await tab.focus(".deck > li:nth-child(2) button")
            await tab.keyboard.press("Enter")
            await tab.wait_for_selector(LEGAL)
            assert await tab.locator(".deck > li:nth-child(2) button:focus").count() == 1, (
                "the next one has the focus"
            )
            (kept,) = decks.all()
            assert (kept.name, kept.owned, len(set(kept.cards))) == (HOSTILE, True, 10)
            await tab.fill("#deck-name", "Tide")
            await tab.keyboard.press("Enter")
            await tab.wait_for_selector(".decks nav [aria-current] bdi:text-is('Tide')")
            await tab.select_option("#deck-rules", "mau-mau")
            await tab.wait_for_selector(".objections li:has-text('no card of a skat pack')")
            await tab.click(".decks .danger")
            await tab.click("dialog .danger")
            await tab.wait_for_selector("text=You have no decks yet")
        assert decks.all() == ()


@pytest.mark.match
@pytest.mark.parametrize("how", [{}, {"dark": True, "size": PHONE}], ids=["light", "phone"])
async def test_deck_problem_is_marked_and_accessible(
    visits: Visits, tmp_path: Path, how: dict[str, object]
):
    with people(tmp_path) as (ann, bob):
        ann.collection.store.decks.make(
            NamedDeck("a", "element-duel", True, (*ann.cards, *bob.cards, bytes(32)))
        )
        async with album(ann) as (_, link):
            tab = await visits.open(link, **how)
            await tab.click("[data-view=decks]")
            await tab.wait_for_selector(f".deck button:has-text('{HOSTILE}'):has-text('not yours')")
            await tab.wait_for_selector(".deck button:has-text('no such card is known here')")
            await tab.wait_for_selector(f".objections bdi:text-is('{HOSTILE}: no such element')")
            assert await violations(tab) == [] and await sideways(tab) == ""


@pytest.mark.match
async def test_deck_may_have_any_number_of_rule_cards(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (ann, _):
        make_deck(ann.collection, "other", "mau-mau", owned=False)
        add_card(ann.collection, "other", "0")
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=decks]")
            for count in (2, 3):
                await tab.click(".decks .card:has-text('7♥')")
                await tab.wait_for_selector(f".deck button:has-text('×{count}')")
            await tab.select_option("#deck-rules", "element-duel")
            await tab.wait_for_selector("main > .wrong:has-text('mau-mau')")
            visits.forgive("422")
            await tab.wait_for_selector(
                "#deck-rules option:checked:text-is('Mau-Mau')", state="attached"
            )
        assert ann.collection.store.decks.named("other").cards == (0, 0, 0)


@pytest.mark.match
async def test_deck_is_built_for_own_rule_file(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (ann, _):
        ann.collection.rules = (
            built_in_text("mau-mau")
            .replace('"mau-mau"', '"<b>skat"')
            .replace("12 <= count", "2 <= count")
        )
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=decks]")
            await tab.fill("#deck-new", "small")
            await tab.select_option("#deck-new-rules", label="<b>skat (your file)")
            await tab.press("#deck-new", "Enter")
            await tab.wait_for_selector(".objections")
            for _ in range(2):
                assert await tab.locator(LEGAL).count() == 0
                await tab.click(".decks .card:has-text('7♥')")
                await tab.wait_for_selector(".deck button")
            await tab.wait_for_selector(LEGAL)
            assert (
                await tab.locator("#deck-rules option:checked").inner_text()
                == "<b>skat (your file)"
            )
            assert await violations(tab) == []
        assert ann.collection.store.decks.named("small").rules == rule_digest(ann.collection.rules)
