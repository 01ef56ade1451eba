"""A tab in a match that loses its browser, its storage, or its place to another tab: the match goes
on and ends, and nothing is signed twice. All copies of the log are equal, and its audit is clean.
"""

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Error, Page

from player.storage.log_store import read_log
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import SIGNATURE_SIZE
from protocol.match.log import decode_entry
from protocol.match.packed_log import plain_log
from tests.page.tab_storage import browser_process, kill_group
from tests.page.tabs import bots, built_page, open_tab, sit_down, table, web_server
from tests.page.test_playing import ASKS, MINE, OVER, choose, play_out
from tests.page.test_tab_company import Line, through_a_line
from tests.page.visits import Visits

pytestmark = [
    pytest.mark.match,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.timeout(900),  # two browsers one after the other, each with its own patience
]
DOMINOES = ("--game", "block-dominoes", "--deal", "verified", "--target", "10")
PATIENCE = 240.0  # seconds, for a program of 20 MB on a busy machine
LOBBY = ".tables"
PLAIN = "evil.test"  # a name of this machine (`visits.FLAGS`) that is no secure context
# the logs as the browser stores them: what a tab would read that is opened now
STORED_LOGS = """async () => {
  const opened = indexedDB.open("fairdeal");
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const stores = opened.result.transaction(["nodes", "pages"]);
  const nodes = stores.objectStore("nodes").getAll();
  const keys = stores.objectStore("pages").getAllKeys();
  const pages = stores.objectStore("pages").getAll();
  await new Promise((resolve) => (stores.oncomplete = resolve));
  opened.result.close();
  const logs = nodes.result.filter(({ name }) => name.endsWith(".fairdeal"));
  const text = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return logs.map(({ key }) =>
    btoa(pages.result.filter((_, at) => keys.result[at][0] === key).map(text).join("")));
}"""
# aborts every transaction that writes from now on
ABORT = """() => {
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...given) {
    if (this.name !== "lease") this.transaction.abort();
    return put.apply(this, given);
  };
}"""


def kinds(log: Path) -> list[str]:
    """Return the kinds of the entries in a log that grows."""
    return [decode_entry(record.entry).kind for record in read_log(log)]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


async def stored_logs(page: Page) -> list[bytes]:
    """Return the logs that the browser of a page has stored."""
    return [b64decode(log) for log in await page.evaluate(STORED_LOGS)]


async def check_copies(page: Page, theirs: Path, data: Path) -> None:
    """Check that the logs of tab, bot and table become equal, and that nobody is named in them."""
    await until(
        lambda: (
            [plain_log(path.read_bytes()) for path in data.rglob("*.fairdeal")]
            == [theirs.read_bytes()]
        )
    )
    await until_stored(page, theirs)
    assert audit(theirs.read_bytes()).verdict is Verdict.CLEAN
    # one of each for each seat: nothing was posted a second time
    assert [kinds(theirs).count(kind) for kind in ("sit", "nonce", "receipt")] == [2, 2, 2]


async def until_stored(page: Page, theirs: Path) -> None:
    """Wait until the browser has stored the same log as the bot."""
    async with asyncio.timeout(PATIENCE):
        while await stored_logs(page) != [theirs.read_bytes()]:
            await asyncio.sleep(0.2)


async def new_page(context: BrowserContext, url: str) -> Page:
    """Open the page in a browser of its own, and begin."""
    page = await context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    await page.goto(url)
    await page.fill("#name", "Ann")
    await page.keyboard.press("Enter")
    return page


async def in_the_dealing(page: Page, theirs: Path) -> None:
    """Wait until some entries of the dealing are there."""
    await until(lambda: len(kinds(theirs)) >= 8)


async def at_the_own_action(page: Page, theirs: Path) -> None:
    """Make a choice: it may be signed, stored, sent, or nothing of it."""
    await page.wait_for_selector(MINE)
    await page.locator(MINE).first.click()


async def after_the_own_action(page: Page, theirs: Path) -> None:
    """Make a choice, and wait until the others have it."""
    await page.wait_for_selector(MINE)
    before = kinds(theirs).count("move")
    assert await choose(page)
    await until(lambda: kinds(theirs).count("move") > before)


async def at_the_end(page: Page, theirs: Path) -> None:
    """Play until a seat signs the result."""
    playing = asyncio.create_task(play_out(page))
    try:
        await until(lambda: "receipt" in kinds(theirs))
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError, Error):
            await playing


async def see_the_end(page: Page, theirs: Path) -> None:
    """Play to the end in a tab that has come back. If the match was over, the lobby may be shown."""
    await page.wait_for_selector(f"{MINE}, {ASKS}, {OVER}, {LOBBY}")
    if kinds(theirs).count("receipt") == 2:
        await page.wait_for_selector(f"{OVER}, {LOBBY}")
    else:
        await play_out(page)
        assert "clean" in await page.inner_text(".badge")


@pytest.mark.parametrize(
    "moment", [in_the_dealing, at_the_own_action, after_the_own_action, at_the_end]
)
async def test_match_goes_on_after_the_browser_is_killed(
    chromium: str, tmp_path: Path, moment: Callable[[Page, Path], Awaitable[None]]
) -> None:
    home = tmp_path / "browser"
    home.mkdir()
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *DOMINOES) as link,
        bots(link, tmp_path, "Bob") as (theirs,),
    ):
        async with browser_process(chromium, home) as (browser, group):
            page = await new_page(browser.contexts[0], f"{site}#{link}")
            await sit_down(page)
            await moment(page, theirs)
            kill_group(group)
        async with browser_process(chromium, home) as (browser, _):
            page = await new_page(browser.contexts[0], f"{site}#{link}")
            await see_the_end(page, theirs)
            await check_copies(page, theirs, tmp_path / "table")


@asynccontextmanager
async def match_of_a_tab(
    visits: Visits, tmp_path: Path, host: str = "127.0.0.1"
) -> AsyncIterator[tuple[Page, Line, str, str, Path]]:
    """Begin a match of a tab against a bot. Yield the tab after its first action, its line, the
    page's address at this host, a link without that line, and the log of the bot.
    """
    async with (
        web_server(built_page()) as here,
        nullcontext(here.replace("127.0.0.1", host)) as site,
        table(tmp_path / "table", site, *DOMINOES) as link,
        through_a_line(link) as (over_line, line),
        bots(link, tmp_path, "Bob") as (theirs,),
    ):
        page = await open_tab(visits, site, over_line)
        page.set_default_timeout(PATIENCE * 1000)
        await sit_down(page)
        assert await choose(page)
        yield page, line, site, link, theirs


async def second_tab(visits: Visits, first: Page, url: str) -> Page:
    """Open a second tab of the same browser, and take over."""
    page = await visits.tab(first.context, url)
    page.set_default_timeout(PATIENCE * 1000)
    await page.fill("#name", "Ann")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Play here").click()
    return page


TAKEN_OVER = "Another tab or window plays with your key now"


async def test_second_tab_takes_a_match_over_and_the_first_is_silent(
    visits: Visits, tmp_path: Path
) -> None:
    async with match_of_a_tab(visits, tmp_path) as (first, line, site, link, theirs):
        second = await second_tab(visits, first, f"{site}#{link}")
        await first.get_by_text(TAKEN_OVER).wait_for()
        await until(lambda: line.open == 0)
        sent = line.sent
        await play_out(second)
        assert "clean" in await second.inner_text(".badge")
        await check_copies(second, theirs, tmp_path / "table")
        assert line.sent == sent > 0


async def test_first_tab_takes_a_match_back_and_the_second_is_silent(
    visits: Visits, tmp_path: Path
) -> None:
    async with (
        match_of_a_tab(visits, tmp_path) as (first, _, site, link, theirs),
        through_a_line(link) as (over_line, line),
    ):
        second = await second_tab(visits, first, f"{site}#{over_line}")
        await first.get_by_text(TAKEN_OVER).wait_for()
        assert await choose(second)
        await first.get_by_role("button", name="Load the page again").click()
        await first.get_by_role("button", name="Play here").click()
        await second.get_by_text(TAKEN_OVER).wait_for()
        await until(lambda: line.open == 0)
        sent = line.sent
        await play_out(first)
        assert "clean" in await first.inner_text(".badge")
        await check_copies(first, theirs, tmp_path / "table")
        assert line.sent == sent > 0


async def restored(visits: Visits, first: Page) -> Page:
    """Open a tab with a copy of another one's session, as a browser does that duplicates a tab or
    restores a session, and take over.
    """
    session = await first.evaluate("JSON.stringify({ ...sessionStorage })")
    copy = await visits.tab(first.context)
    copy.set_default_timeout(PATIENCE * 1000)
    await copy.add_init_script(f"Object.assign(sessionStorage, JSON.parse({json.dumps(session)}))")
    await copy.goto(first.url)
    await copy.get_by_role("button", name="Play here").click()
    return copy


async def test_copies_of_a_session_over_plain_http_play_one_match(
    visits: Visits, tmp_path: Path
) -> None:
    """Over plain http in a home network a browser has neither Web Locks nor `crypto.subtle`."""
    async with match_of_a_tab(visits, tmp_path, PLAIN) as (page, _, _, _, theirs):
        assert await page.evaluate("[isSecureContext, navigator.locks, crypto.subtle]") == [
            False,
            None,
            None,
        ]
        for moment in (in_the_dealing, at_the_own_action, after_the_own_action, at_the_end):
            await moment(page, theirs)
            copy = await restored(visits, page)
            await page.get_by_text(TAKEN_OVER).wait_for()
            await page.close()
            page = copy
        await see_the_end(page, theirs)
        await check_copies(page, theirs, tmp_path / "table")


async def test_nothing_leaves_after_the_storage_fails_and_a_reload_goes_on(
    visits: Visits, tmp_path: Path
) -> None:
    async with match_of_a_tab(visits, tmp_path) as (page, line, _, _, theirs):
        await page.wait_for_selector(MINE)
        await until_stored(page, theirs)
        before = kinds(theirs)
        sent = line.sent
        (worker,) = page.workers
        visits.ignore("Failed to execute 'put' on 'IDBObjectStore'")
        await worker.evaluate(ABORT)
        await page.locator(MINE).first.click()
        await page.wait_for_selector(f"{ASKS}, #entry")
        if await page.locator(ASKS).count():
            await page.locator(ASKS).first.click()
        await page.get_by_text("Your browser does not store").wait_for()
        await until(lambda: line.open == 0)
        # a sign of life, and the end of the line; no entry is so short
        assert line.sent - sent < SIGNATURE_SIZE and kinds(theirs) == before
        await page.get_by_role("button", name="Load the page again").click()
        await play_out(page)
        assert "clean" in await page.inner_text(".badge")
        await check_copies(page, theirs, tmp_path / "table")
