"""App of a person on a data folder, with its page in a browser."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from playwright.async_api import Page

from fairdeal.app_tables import AppTables
from fairdeal.play import play_words
from player.cli.app_arguments import parser
from player.cli.app_command import App
from player.storage.own_name import read_name, store_name
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.history_requests import MOST_FILE
from protocol.games.registry import BUILT_IN
from tests.page.visits import Visits

MINE = ".heaps button:not([aria-disabled='true']), .offers button.primary"
ROUTES = {
    "Play": "[data-game=nim]",
    "Join": "#link",
    "History": ".logs",
    "Profile": "#own-name",
    "Home": ".ways",
}


@asynccontextmanager
async def home(
    visits: Visits,
    data: Path,
    most_file: int = MOST_FILE,
    tables: AppTables | None = None,
    name: str | None = "Zoe",
    script: str = "",
    directories: Directories | None = None,
    **how: object,
) -> AsyncIterator[Page]:
    """Run the app on a data folder, and open its page. Without `tables` it opens no table. `name`:
    of a person who has none yet; None: the page asks. `script` runs before those of the page.
    `directories`: how lists are read, in place of the usual way.
    """
    if name is not None and read_name(data) is None:
        data.mkdir(parents=True, exist_ok=True)
        store_name(data, name)
    opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()

    def opener(url: str) -> bool:
        text = Path(url2pathname(urlsplit(url).path)).read_text("utf-8")
        link = re.search(r"http://127\.0\.0\.1:\d+/#t=[\w-]+", text)
        assert link is not None
        loop.call_soon_threadsafe(opened.set_result, link[0])
        return True

    asked = parser(BUILT_IN).parse_args(["--data", str(data)])
    app = App(
        asked,
        lambda words, screens: play_words(words, BUILT_IN, (), screens),
        opener,
        lambda loop, typed: None,
        most_file,
        tables=tables,
        directories=directories,
    )
    running = asyncio.create_task(app.run())
    # the program may end while a page still loads pictures that it has left
    visits.ignore("ERR_CONNECTION_REFUSED at /static/elements/")
    page = await visits.open(**how)
    await page.context.add_init_script(script)
    await page.goto(await opened)
    await page.wait_for_selector(".bar")
    try:
        yield page
    finally:
        app.stop()
        assert await running == 0


async def route(page: Page, name: str) -> None:
    """Go a way of the bar."""
    await page.locator(".bar").get_by_role("button", name=name, exact=True).click()
    await page.wait_for_selector(f".home {ROUTES[name]}", state="attached")


async def play_nim(page: Page) -> None:
    """Take matches until the match is over."""
    over = page.locator(".end:not([hidden])")
    while not await over.count():
        mine = page.locator(MINE)
        if await mine.count():
            await mine.last.click(timeout=2_000)
        await page.wait_for_timeout(50)
