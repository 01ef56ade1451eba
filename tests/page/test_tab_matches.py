"""A tab plays whole matches as a player of its own, at a real table, against terminal programs."""

from pathlib import Path

import pytest
from playwright.async_api import Page

from protocol.audit.verdict import Verdict, audit
from tests.page.tabs import bots, built_page, open_tab, sit_down, table, web_server
from tests.page.test_playing import play_out
from tests.page.visits import PHONE, Visits, sideways, violations

pytestmark = [pytest.mark.match, pytest.mark.process, pytest.mark.slow]
DOMINOES = ("--game", "block-dominoes", "--deal", "verified", "--target", "10")
HOLDEM = ("--game", "texas-holdem", "--deal", "verified", "--seats", "3", "--option", "hands=1")


async def own_log(page: Page) -> bytes:
    """Save the log of the match from the page."""
    await page.click(".badge")
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Save the log").click()
    return Path(await (await saving.value).path()).read_bytes()


async def test_tab_plays_dominoes_to_the_end_with_a_clean_log(
    visits: Visits, tmp_path: Path
) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *DOMINOES) as link,
        bots(link, tmp_path, "Bob") as (theirs,),
    ):
        page = await open_tab(visits, site, link)
        await sit_down(page)
        await play_out(page)
        assert "clean" in await page.inner_text(".badge")
        assert (await violations(page), await sideways(page)) == ([], "")
        own = await own_log(page)
    assert own == theirs.read_bytes()
    assert audit(own).verdict is Verdict.CLEAN


async def test_telephone_plays_holdem_with_two_programs(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *HOLDEM) as link,
        bots(link, tmp_path, "Bob", "Cleo") as (theirs, _),
    ):
        page = await open_tab(visits, site, link, size=PHONE, has_touch=True)
        await sit_down(page)
        await play_out(page)
        assert (await violations(page), await sideways(page)) == ([], "")
        own = await own_log(page)
    assert own == theirs.read_bytes()
    assert audit(own).verdict is Verdict.CLEAN
