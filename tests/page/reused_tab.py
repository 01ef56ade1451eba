"""A tab that goes to one table after the other, because a new one takes longer than most matches."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

from playwright.async_api import BrowserContext, Error, Page

from tests.page.homes import route
from tests.page.tabs import PATIENCE

CLICK = 500  # milliseconds until a seat that is to be taken is looked for again
HOME_SECONDS = 20.0  # for the way Home


async def take_seat(page: Page) -> bool:
    """Sit down at the only table, or go on with a match. Who has read terms that have changed since
    sits down again. Return False if the page says why nobody can sit down here.
    """
    seat = page.locator(".tables").get_by_role("button", name="Sit down")
    while not await page.locator(".match").count():
        if await page.locator(".tables .wrong").count():
            return False
        with suppress(Error):
            await seat.click(timeout=CLICK)
    return True


class Tab:
    """A tab with storage of its own."""

    def __init__(self, context: BrowserContext, site: str, name: str = "Ann") -> None:
        """`site`: the address of the page. `name`: of the person."""
        self._context = context
        self._site = site
        self._name = name
        self._page: Page | None = None
        self._playing: asyncio.Task[None] | None = None

    async def go(self, link: str) -> Page:
        """Go to a table: from Home, or in a new page if there is none."""
        if self._page is None:
            self._page = await self._context.new_page()
            self._page.set_default_timeout(PATIENCE)
            await self._page.goto(f"{self._site}#{link}")
            if await self._page.locator("#name").is_enabled():
                await self._page.fill("#name", self._name)
                await self._page.keyboard.press("Enter")
        else:
            await route(self._page, "Join")
            await self._page.fill("#link", link)
            await self._page.keyboard.press("Enter")
        return self._page

    def play(self, clicks: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        """Have somebody click, until the tab crashes or leaves the table."""
        self._playing = asyncio.create_task(clicks)
        return self._playing

    async def _pause(self) -> None:
        """Have nobody click any more."""
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])
            self._playing = None

    async def crash(self) -> None:
        """End the tab's process at once, with its worker. What is stored stays."""
        await self._pause()
        if self._page is None:
            return
        session = await self._context.new_cdp_session(self._page)
        async with self._page.expect_event("crash"):
            ending = asyncio.create_task(session.send("Page.crash"))
        await self._page.close()
        self._page = None
        with suppress(Error):
            await ending

    async def leave(self) -> bool:
        """Leave the table for Home. Return False if there is no way there."""
        await self._pause()
        if self._page is None:
            return False
        with suppress(TimeoutError, Error):
            async with asyncio.timeout(HOME_SECONDS):
                await self._go_home(self._page)
                return True
        return False

    async def _go_home(self, page: Page) -> None:
        while await page.locator("dialog[open]").count():
            await page.keyboard.press("Escape")
        await page.locator(".bar").get_by_role("button", name="Home").click()
        asks = page.locator("dialog[open] .danger")
        await asks.or_(page.locator(".home .ways")).first.wait_for()
        if await asks.count():
            await asks.click()
        await page.locator(".home .ways").wait_for()

    async def close(self) -> None:
        """Close the tab, and forget what it has stored."""
        await self._pause()
        await self._context.close()
