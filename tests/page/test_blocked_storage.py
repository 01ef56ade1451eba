"""Pages of the local program in a browser that lets them store nothing."""

from pathlib import Path

import pytest

from protocol.audit.verdict import Verdict, audit
from tests.page.collectors import album, people
from tests.page.homes import home, route
from tests.page.test_playing import play_out
from tests.page.test_tab_broken import NO_STORAGES
from tests.page.visits import Visits, no_more
from tests.support.fake_table import FakeTable
from tests.support.pages import playing

pytestmark = [pytest.mark.match, pytest.mark.process]


async def test_match_is_played_without_the_storage_of_the_browser(
    visits: Visits, tmp_path: Path
) -> None:
    async with playing(FakeTable(2, options={"target": 1}), tmp_path) as (page, log):
        tab = await visits.open()
        await tab.context.add_init_script(NO_STORAGES)
        await tab.goto(page.links.new())
        await play_out(tab)
        await no_more(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


async def test_app_works_without_the_storage_of_the_browser(visits: Visits, tmp_path: Path) -> None:
    async with home(visits, tmp_path, script=NO_STORAGES) as page:
        await route(page, "Profile")
        await page.select_option("#own-theme", "dark")
        await page.get_by_text("Saved.").wait_for()
        await route(page, "Play")


async def test_cards_are_shown_without_the_storage_of_the_browser(
    visits: Visits, tmp_path: Path
) -> None:
    with people(tmp_path) as (ann, _):
        async with album(ann) as (_, link):
            page = await visits.open()
            await page.context.add_init_script(NO_STORAGES)
            await page.goto(link)
            await page.click("[data-view=creators]")
            await page.wait_for_selector("[data-view=creators][aria-current]")
