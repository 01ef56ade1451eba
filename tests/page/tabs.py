"""Tabs that are whole players: the built page on a web server, and real tables and bots for it."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.staticfiles import StaticFiles

from net.http.policy import Headers
from net.http.server import ServerBounds, open_listener, serve
from tests.page.visits import Visits
from tests.support.ports import free_port
from web.build import build_page

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"fairdeal\+ws://\S+")
TAB_CONNECTIONS = 64  # a browser makes six for each tab that begins
PATIENCE = 240_000  # milliseconds for any wait: a program of 20 MB begins on a busy machine


def web_packages() -> Path:
    """Return the npm packages of the page for browsers, fetched if they are not there."""
    script = ROOT / "scripts" / "_web_packages"
    done = subprocess.run([script], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@cache
def built_page() -> Path:
    """Return a folder with the page, built once for all tests of this process."""
    folder = Path(mkdtemp(prefix="fairdeal-tab-"))
    build_page(web_packages(), folder)
    return folder


@asynccontextmanager
async def web_server(
    folder: Path, headers: Headers = (), more: Path | None = None
) -> AsyncIterator[str]:
    """Serve a folder, and another one at `more/`. Yield its address, which ends with a slash."""
    app = Starlette()
    if more is not None:
        app.mount("/more", StaticFiles(directory=more))
    app.mount("/", StaticFiles(directory=folder, html=True))
    listener = open_listener()
    async with serve(app, listener, headers, ServerBounds(TAB_CONNECTIONS, goodbye=0)):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


class TableProgram:
    """A table with a folder and ports of its own, which stay the same when it is started again."""

    def __init__(self, data: Path, origin: str, *words: str) -> None:
        """`origin`: the address of the page that is let in. `words`: more options."""
        self._words = (
            *("--data", str(data), "--log-level", "error"),
            *("--listen", f"127.0.0.1:{free_port()}", "--ws", f"127.0.0.1:{free_port()}"),
            *("--ws-origin", origin.rstrip("/"), *words),
        )
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> str:
        """Start it. Return its link for browsers."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "table", *self._words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        while (found := LINK.search((await self._process.stdout.readline()).decode())) is None:
            assert not self._process.stdout.at_eof(), "the table has not said its link"
        return found[0]

    async def end(self, how: signal.Signals) -> None:
        """End it by a signal, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(how)
            await self._process.wait()


@asynccontextmanager
async def table(data: Path, origin: str, *words: str) -> AsyncIterator[str]:
    """Run a table that lets in pages of this address. Yield its link for browsers."""
    program = TableProgram(data, origin, *words)
    try:
        yield await program.start()
    finally:
        await program.end(signal.SIGTERM)


@asynccontextmanager
async def bots(link: str, data: Path, *names: str) -> AsyncIterator[list[Path]]:
    """Seat bots at a table, by terminal programs. Yield the paths of their logs. At the end each
    must have seen a clean match.
    """
    logs = [data / f"{name}.fdlog" for name in names]
    started = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "player", link, "--name", name, "--data", str(data / name)),
            *("--bot", "greedy", "--quiet", "--log", str(log)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
        )
        for name, log in zip(names, logs, strict=True)
    ]
    try:
        yield logs
        assert [await process.wait() for process in started] == [0] * len(names)
    finally:
        for process in started:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def open_tab(
    visits: Visits, site: str, link: str = "", name: str = "Ann", **how: object
) -> Page:
    """Open the page with a link behind the `#`, and begin under this name."""
    page = await visits.open(f"{site}#{link}", **how)
    page.set_default_timeout(PATIENCE)
    await page.fill("#name", name)
    await page.keyboard.press("Enter")
    return page


async def sit_down(page: Page) -> None:
    """Take a seat at the only table of the lobby."""
    await page.locator(".tables").get_by_role("button", name="Sit down").click()
