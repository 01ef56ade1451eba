"""Logs full of markup in a replay and in a single file: markup is shown as text, and nothing
runs.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Page

from player.ui.web.replay.single import single_page
from protocol.audit.history import MatchHistory
from tests.page.program import replayed
from tests.page.test_replay import opened, requests_of
from tests.page.test_single_page import at
from tests.page.test_single_page import opened as opened_file
from tests.page.visits import NARROW, PHONE, Visits, sideways
from tests.support.hostile_logs import intruder, ten_seats

pytestmark = pytest.mark.match
BACK = """async (last) => {
  const marks = "img, iframe, object, embed, #root script, [onerror], [onclick]";
  const drawn = (entry) => [...document.querySelectorAll("section h2")].some((one) => one.textContent === entry);
  for (let entry = last; entry >= 0; entry--) {
    while (!drawn(`Entry ${entry}`)) await new Promise((done) => setTimeout(done));
    if (document.querySelector(marks)) return entry;
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
  }
  return -1;
}"""  # run in the page, because of some hundred entries; returns the first with a foreign element


async def seen_whole(page: Page, last: int) -> None:
    """Show every entry from the end to the beginning with all knowledge, and check that no markup
    takes effect.
    """
    page.on("dialog", lambda dialog: pytest.fail("a script of theirs ran"))
    await page.select_option("#whose", "all")
    await page.locator(".teach summary").click()
    await page.keyboard.press("End")
    await at(page, last)
    assert await page.evaluate(BACK, last) == -1
    assert await sideways(page) == ""
    assert "<img src=x onerror=a()>" in await page.inner_text("body")


@pytest.mark.parametrize(("log", "size"), [(intruder, PHONE), (ten_seats, NARROW)])
async def test_served_replay_shows_markup_as_text(
    visits: Visits, log: Callable[[], bytes], size: tuple[int, int]
):
    async with replayed(requests_of(log())) as link:
        await seen_whole(
            await opened(visits, link, size=size), len(MatchHistory(log()).read().steps) - 1
        )


@pytest.mark.parametrize("log", [intruder, ten_seats])
async def test_single_file_shows_markup_as_text(
    visits: Visits, tmp_path: Path, log: Callable[[], bytes]
):
    page = await opened_file(
        visits, tmp_path, single_page(log(), "<img src=x onerror=a()>"), size=PHONE
    )
    await seen_whole(page, len(MatchHistory(log()).read().steps) - 1)
