"""First cards in the app, a deck of them, and a match against a bot with it."""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.rollback_guard import default_marks
from player.storage.identity_file import load_identity
from player.storage.own_name import read_name
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from tests.page.homes import home, route
from tests.page.test_app_cards import cards
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.collectors import STATE
from tests.support.ledger import BOB, trade_of


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_first_cards_become_deck_that_bot_plays(
    visits: Visits, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with home(visits, tmp_path / "zoe") as page:
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        tops = "() => [...document.querySelectorAll('.bar button')].map((one) => one.offsetTop)"
        assert len(set(await page.evaluate(tops))) == 1
        await cards(page, "binder")
        assert await page.input_value("#starter-name") == "Zoe"
        assert "they never become settled" in await page.inner_text("main")
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.get_by_role("button", name="Make the 50 Elements").click()
        await page.locator(".pack .wrapper").nth(2).wait_for()
        listed = page.locator(".album .cards [data-card]:not(.pack *)")
        assert not await listed.count() and not await page.locator("#cards-find:visible").count()
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.locator(".pack .wrapper").first.click()
        backs = page.locator(".pack .card:visible")
        assert await backs.count() == 5
        assert (await violations(page), await sideways(page)) == ([], "")
        heights = "() => [...document.querySelectorAll('.pack li')].map((one) => one.offsetHeight)"
        before = await page.evaluate(heights)
        await backs.nth(1).click()
        await page.locator(".pack .card:focus .caption").wait_for()
        assert await page.evaluate(heights) == before
        await page.get_by_role("button", name="Open and turn all").click()
        await listed.first.wait_for()
        kinds = await page.locator(".pack .card .caption").evaluate_all(
            "(all) => all.map((one) => one.firstChild.textContent)"
        )
        news = await page.locator(".pack .good:text-is('new to you')").count()
        assert news == len(set(kinds))
        assert await page.locator(".pack .card .caption").count() == 15
        assert (await violations(page), await sideways(page)) == ([], "")
        assert not await page.locator("#starter-name").is_visible()
        assert (await page.inner_text("main")).count("never settled: no witness") == 1

        art = await page.locator(".pack .painted .art").first.bounding_box()
        tile = await page.locator(".pack .painted").first.bounding_box()
        assert art and tile and art["width"] > 0.95 * tile["width"]
        assert art["height"] > 0.6 * tile["height"]
        await page.click("[data-view=creators]")
        await page.wait_for_selector(".creators p:has-text('fairdeal creator sell')")
        await page.click("[data-view=decks]")
        assert not await page.locator(".pack").count()
        await page.fill("#deck-new", "Strong")
        await page.press("#deck-new", "Enter")
        await page.get_by_role("button", name="Fill it with my strongest cards").click()
        await page.wait_for_selector(".verdict:has-text('Cards: 10.'):has(.good)")
        await page.locator(".decks .danger").click()
        await page.locator("dialog[open] .danger").click()
        await page.wait_for_selector("text=You have no decks yet")
        await page.fill("#deck-new", "Mine")
        assert await page.input_value("#deck-new-of") == "own"
        await page.press("#deck-new", "Enter")
        await page.wait_for_selector(".verdict h2:has-text('Mine')")
        start = page.get_by_role("button", name="Play with this deck")
        await page.focus("#deck-find")
        for count in range(1, 11):
            assert not await start.count()
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".verdict:has-text('Cards: {count}.')")
        await start.wait_for()
        said = await page.inner_text(".inside")
        # on a phone the panel stays in view: what it explains stands below the cards
        assert said.index("In the deck") < said.index("The bot plays this deck, too")
        box = await start.bounding_box()
        assert box and box["y"] + box["height"] <= size[1]
        assert "Element duel" in await page.inner_text("#deck-rules option:checked")
        # no table can be opened from this page
        assert not await page.get_by_role("button", name="against a person").count()
        assert "The bot plays this deck, too" in said and "copies of its cards" in said
        assert (await violations(page), await sideways(page)) == ([], "")

        await route(page, "Play")
        tile = page.locator("[data-game=element-duel]")
        choice = tile.get_by_label("Deck")
        await choice.wait_for()
        assert await page.locator("[data-game=nim] .deck:visible").count() == 0
        assert (await violations(page), await sideways(page)) == ([], "")
        if size == PHONE:
            await choice.select_option("Mine")
            await tile.get_by_role("button", name="Play", exact=True).click()
        else:
            await cards(page, "decks")
            await start.click()
        await page.wait_for_selector("#hand button", timeout=60_000)
    assert not list((tmp_path / "zoe" / "matches").glob("*"))


async def test_deck_that_lacks_traded_card_offers_no_match(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with home(visits, tmp_path / "zoe") as page:
        await cards(page, "binder")
        await page.get_by_role("button", name="Make the 50 Elements").click()
        await page.get_by_role("button", name="Open and turn all").click()
        await page.click("[data-view=decks]")
        await page.fill("#deck-new", "Mine")
        await page.select_option("#deck-new-of", "own")
        await page.press("#deck-new", "Enter")
        await page.wait_for_selector(".verdict h2:has-text('Mine')")
        await page.focus("#deck-find")
        for count in range(1, 11):
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".verdict:has-text('Cards: {count}.')")
        start = page.get_by_role("button", name="Play with this deck")
        await start.wait_for()
        give_away_first_card(tmp_path / "zoe", "Mine")
        await page.click("[data-view=binder]")
        await page.click("[data-view=decks]")
        await page.wait_for_selector(".verdict:has-text('Cards in it that cannot be played: 1.')")
        assert not await start.count()


def give_away_first_card(data: Path, deck: str) -> None:
    """Let the person of a data folder give a card of a deck to Bob."""
    zoe = load_identity(data, None, Random(1))
    with closing(LedgerStore(data, zoe.public, default_marks())) as store:
        card = store.decks.named(deck).cards[0]
        view = evaluate(list(store.records()))
        trade = trade_of(zoe, BOB, [view.next_transfer(card, 0)])
        store.add([sign_record(trade, zoe, BOB)])


async def test_name_is_asked_before_first_trade(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with home(visits, tmp_path / "zoe", name=None) as page:
        await cards(page, "binder")
        await page.fill("#starter-name", "Zoe Press")
        await page.get_by_role("button", name="Make the 50 Elements").click()
        await page.get_by_role("button", name="Open and turn all").click()
        await page.click("[data-view=trade]")
        await page.get_by_role("button", name="Wait for somebody").click()
        assert await page.input_value("#first-name") == "Zoe Press"
        assert not await page.locator("#invitation-link").count()
        await page.press("#first-name", "Enter")
        await page.wait_for_selector("#invitation-link")
    assert read_name(tmp_path / "zoe") == "Zoe Press"
