"""All games at tables with tabs: a tab, a tab of a telephone, a person at a terminal, and a bot. Games
of two seats are between the tabs. Each match ends, all logs are equal, and its audit is clean.

The suite plays those of `SHORT`, `scripts/tab_games` plays all.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from protocol.audit.verdict import Verdict, audit
from protocol.match.packed_log import plain_log
from tests.page.any_game import play_any
from tests.page.reused_tab import Tab, take_seat
from tests.page.tabs import TableProgram, bots, built_page, web_server
from tests.page.test_tab_four_seats import play_at_terminal
from tests.page.test_tab_matches import own_log
from tests.page.visits import LOCALE, PHONE, sideways
from tests.support.terminal import at_terminal

pytestmark = [
    pytest.mark.match,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.timeout(900),  # four programs, and two tabs of 20 MB
]
POKER = ("--option", "hands=1")
FOUR = {
    "block-dominoes": ("--target", "1"),
    "draw-dominoes": ("--target", "1"),
    "texas-holdem": POKER,
    "omaha": POKER,
    "five-card-draw": POKER,
    "ligretto": ("--option", "rounds=1", "--option", "row=5"),
    "mau-mau-shared": (),
    "crazy-eights": (),
}
TWO = {
    "matches": ("--option", "n=7"),
    "nim": (),
    "hexapawn": (),
    "connect-four": (),
    "element-duel": (),
    "mau-mau": (),
}
# less than a minute of CPU time together; test_tab_four_seats.py has dominoes and hold'em too
SHORT = ("connect-four", "five-card-draw", "crazy-eights", "element-duel")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each game."""
    every = metafunc.config.getoption("--every-game")
    metafunc.parametrize("game", [*TWO, *FOUR] if every else SHORT)


class Place(NamedTuple):
    """The web server of the page, and the tabs that go from table to table."""

    site: str
    tab: Tab
    phone: Tab


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(browser: Browser) -> AsyncIterator[Place]:
    """Return two tabs."""
    async with web_server(built_page()) as site:
        how = {"locale": LOCALE, "reduced_motion": "reduce"}
        width, height = PHONE
        desktop = await browser.new_context(**how)
        phone = await browser.new_context(
            **how, viewport={"width": width, "height": height}, has_touch=True
        )
        tabs = Place(site, Tab(desktop, site), Tab(phone, site, "Cleo"))
        yield tabs
        await tabs.tab.close()
        await tabs.phone.close()


@asynccontextmanager
async def new_tabs_after_a_failure(tabs: list[Tab]) -> AsyncIterator[None]:
    """End the tabs if their match fails. So the next match begins in new ones."""
    try:
        yield
    except BaseException:
        for tab in tabs:
            await tab.crash()
        raise


async def clicks(page: Page) -> None:
    """Sit down, and play to the end."""
    assert await take_seat(page)
    await play_any(page)


@asynccontextmanager
async def person(link: str, log: Path) -> AsyncIterator[None]:
    """Seat a person at a terminal. At the end the match must be over."""
    words = ("--name", "Tim", "--data", log.with_suffix(".data"), "--log", log, "--lang", "en")
    async with at_terminal("-m", "fairdeal", "join", link, *words) as terminal:
        typing = asyncio.create_task(play_at_terminal(terminal))
        try:
            yield
            await typing
        finally:
            typing.cancel()


async def test_match_of_each_game_ends_equal_and_clean(
    place: Place, tmp_path: Path, game: str
) -> None:
    seats, options = (4, FOUR[game]) if game in FOUR else (2, TWO[game])
    words = ("--game", game, "--seats", str(seats), *options)
    table = TableProgram(tmp_path / "table", place.site, *words)
    logs: list[Path] = []
    saved = []
    tabs = [place.tab, place.phone]
    async with AsyncExitStack() as stack:
        stack.push_async_callback(table.end, signal.SIGTERM)
        link = await table.start()
        if seats == 4:
            logs += await stack.enter_async_context(bots(link, tmp_path, "Bob"))
            logs.append(tmp_path / "Tim.fairdeal")
            await stack.enter_async_context(person(link, logs[-1]))
        await stack.enter_async_context(new_tabs_after_a_failure(tabs))
        pages = [await tab.go(link) for tab in tabs]
        await asyncio.gather(
            *(tab.play(clicks(page)) for tab, page in zip(tabs, pages, strict=True))
        )
        for page in pages:
            assert "clean" in await page.inner_text(".badge")
            assert not await sideways(page)
            saved.append(await own_log(page))
        for tab in tabs:
            assert await tab.leave()
    (kept,) = (tmp_path / "table").rglob("*.fairdeal")
    found = [plain_log(path.read_bytes()) for path in (*logs, kept)] + saved
    assert len(found) == 1 + seats and set(found) == {found[0]}
    assert audit(found[0]).verdict is Verdict.CLEAN
