"""A tab without a server: matches against bots, and logs that people drop on the page."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from tests.page.homes import MINE, route
from tests.page.tabs import built_page, open_tab, web_server
from tests.page.test_home_history import clean, drop
from tests.page.test_playing import choose, play_out
from tests.page.test_tab_matches import own_log
from tests.page.visits import Visits, sideways, violations

pytestmark = [pytest.mark.match, pytest.mark.slow]


async def test_tab_without_a_link_plays_against_a_bot_in_the_tab(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site)
        await page.wait_for_selector(".bar")
        await route(page, "Play")
        assert await page.get_by_text("cannot open a table for others").count()
        await page.locator("[data-game=nim] button.primary").click()
        await page.wait_for_selector(".match")
        await play_out(page, MINE)
        assert "clean" in await page.inner_text(".badge")
        assert (await violations(page), await sideways(page)) == ([], "")
        assert audit(await own_log(page)).verdict is Verdict.CLEAN
        await page.get_by_role("button", name="Close").first.click()
        await route(page, "History")
        await page.wait_for_selector(".logs:has-text('Nim')")


async def test_match_against_bots_goes_on_after_a_reload(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site)
        await page.wait_for_selector(".bar")
        await route(page, "Play")
        await page.locator("[data-game=matches] button.primary").click()
        assert await choose(page, MINE)
        await page.wait_for_selector(MINE)
        await page.reload()
        await page.get_by_role("button", name="Continue").first.click()
        await page.wait_for_selector(".match")
        await play_out(page, MINE)
        assert "clean" in await page.inner_text(".badge")
        log = await own_log(page)
        assert audit(log).verdict is Verdict.CLEAN
        kinds = [decode_entry(record.entry).kind for record in read_records(log)]
        assert kinds.count("receipt") == 2
        await page.get_by_role("button", name="Close").first.click()
        await route(page, "Play")
        await page.wait_for_selector("[data-game=matches]")
        await page.reload()
        await page.wait_for_selector(".bar")
        assert await page.get_by_role("button", name="Continue").count() == 0


async def test_log_dropped_on_a_tab_is_checked_and_shown(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site)
        await page.wait_for_selector(".home")
        await drop(page, "match.fairdeal", clean())
        await page.wait_for_selector(".replay .good")
        assert (await violations(page), await sideways(page)) == ([], "")


async def test_damaged_log_dropped_on_a_tab_is_named(visits: Visits) -> None:
    damaged = bytearray(clean())
    damaged[len(damaged) // 2] ^= 1
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site)
        await page.wait_for_selector(".home")
        await drop(page, "damaged.fairdeal", bytes(damaged))
        await page.wait_for_selector(".replay .bad")


async def test_tab_shows_cards_and_gives_hints_without_threads(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site)
        await page.wait_for_selector(".bar")
        await page.locator(".bar").get_by_role("button", name="Cards", exact=True).click()
        await page.wait_for_selector("[data-view][aria-current]")
        assert (await violations(page), await sideways(page)) == ([], "")
        await route(page, "Play")
        await page.locator("[data-game=nim] button.primary").click()
        await page.wait_for_selector(MINE)
        await page.locator(".hints button").first.click()
        await page.wait_for_selector(".hints .told p")
