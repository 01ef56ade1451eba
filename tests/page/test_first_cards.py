"""First cards in the app, a deck of them, and a match against a bot with it."""

from pathlib import Path

import pytest

from tests.page.homes import home, route
from tests.page.test_app_cards import cards
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.collectors import STATE


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_first_cards_become_deck_that_bot_plays(
    visits: Visits, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with home(visits, tmp_path / "zoe") as page:
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await cards(page, "binder")
        assert await page.input_value("#starter-name") == "Zoe"
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.get_by_role("button", name="Make the 50 Elements").click()
        await page.get_by_role("button", name="Turn all").click()
        assert await page.locator(".pack .card .caption").count() == 15
        assert (await violations(page), await sideways(page)) == ([], "")
        assert not await page.locator("#starter-name").is_visible()

        await page.click("[data-view=decks]")
        await page.fill("#deck-new", "Mine")
        await page.select_option("#deck-new-of", "own")
        await page.press("#deck-new", "Enter")
        await page.wait_for_selector(".verdict h2:has-text('Mine')")
        start = page.get_by_role("button", name="Play with this deck")
        await page.focus("#deck-find")
        for count in range(1, 11):
            assert not await start.count()
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".verdict:has-text('Cards: {count}.')")
        await start.wait_for()
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
