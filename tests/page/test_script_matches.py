"""Whole matches by rule files on the page: by clicks, and by keyboard only; the logs are clean."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page

from protocol.audit.verdict import Verdict, audit
from tests.page.test_keys import choose as choose_by_keys
from tests.page.test_keys import walk_to
from tests.page.test_playing import OVER, own_moves, play_out
from tests.page.visits import PHONE, Visits
from tests.support.fake_table import FakeTable
from tests.support.pages import playing

pytestmark = pytest.mark.match
MINE = "#hand [data-fits], .offers button"
# seeds of the dealer for matches of five seconds
SHORT = {"mau-mau": 2, "element-duel": 1}


@asynccontextmanager
async def sat_down(visits: Visits, folder: Path, game: str, **how) -> AsyncIterator[Page]:
    """Open a page that must play a match to its end. Check that the log is clean."""
    async with playing(FakeTable(2, SHORT[game], game=game, dealing="verified"), folder) as (
        page,
        log,
    ):
        tab = await visits.open(page.links.new(), **how)
        yield tab
        assert await tab.locator(OVER).count() and "clean" in await tab.inner_text(".badge")
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN and own_moves(log.read_bytes()) > 10


@pytest.mark.parametrize("game", SHORT)
async def test_a_match_by_clicks(visits: Visits, tmp_path: Path, game: str):
    async with sat_down(visits, tmp_path, game) as tab:
        await play_out(tab, MINE)


async def test_a_match_by_keys_on_a_phone(visits: Visits, tmp_path: Path):
    async with sat_down(visits, tmp_path, "mau-mau", size=PHONE) as tab:
        while await choose_by_keys(tab):
            """And on."""
        await walk_to(tab, "No, thanks")
        await tab.keyboard.press("Enter")
        await tab.wait_for_selector(".end:not(:has(button))")
