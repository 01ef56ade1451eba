"""A tab that is a whole player, beside the program on this machine: time until a person can sit
down, time of a deal, and memory.

All files come from this machine, so no network is in the times. A deal is that of 52 cards,
verified, for four seats and a table, all in one process.
"""

import asyncio
import json
import re
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from textwrap import dedent

import psutil
from playwright.async_api import Browser, BrowserContext, async_playwright

from commandline.children import python_child
from player.ui.web.browser import WINDOWS
from tests.page.browser import find_chromium
from tests.page.tabs import ROOT, built_page, sit_down, table, web_server
from tests.page.visits import FLAGS
from web.build import archive, package_files

LOBBY = "li.panel:has-text('seats are taken')"
PATIENCE = 300_000  # milliseconds
DEAL = dedent(
    """
    import time
    from tests.support.offline import make_offline

    def deal():
        match = make_offline(4, game="texas-holdem", dealing="verified")
        begun = time.perf_counter()
        while not any(seat.choices(match.live.match) for seat in match.seats):
            for seat in match.seats:
                match.catch_up(match.readers[seat.number])
                post = seat.respond(match.readers[seat.number].match)
                if post is not None:
                    entry = seat.entry(match.readers[seat.number].log, post)
                    match.accept(match.live, entry, seat.number)
        return time.perf_counter() - begun

    deal()
    times = [deal() for _ in range(3)]
    """
)
WORKER = """import { startPython } from "./python.js";
try {
  const python = await startPython(["program.zip", "tests.zip"]);
  postMessage([...python.runPython(await (await fetch("deal.txt")).text() + "\\ntimes").toJs()]);
} catch (error) {
  postMessage([String(error).slice(-900)]);
}
"""
PAGE = """new Worker("./deal.js", { type: "module" }).onmessage = ({ data }) => {
  document.body.textContent = JSON.stringify(data);
};
"""


def measure(rounds: int) -> dict[str, float]:
    """Measure each start `rounds` times, and three deals at each place."""
    return asyncio.run(_measured(rounds))


async def _measured(rounds: int) -> dict[str, float]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        with TemporaryDirectory() as folder:
            async with (
                web_server(built_page()) as site,
                table(Path(folder), site, "--game", "nim") as link,
            ):
                programs = [await _program(browser, link) for _ in range(rounds)]
                visits = [await _tab(browser, site, link) for _ in range(rounds)]
        dealt = await _deal(browser)
        await browser.close()
    first, second, memory = zip(*visits, strict=True)
    names: dict[str, list[float]] = {}
    exec(DEAL, names)  # noqa: S102  # the same code as in the tab
    return {
        "program_command_to_lobby_s": median(programs),
        "tab_first_visit_to_lobby_s": median(first),
        "tab_second_visit_to_lobby_s": median(second),
        "tab_renderer_mb": max(memory) / 1e6,
        "tab_deal_s": median(dealt),
        "native_deal_s": median(names["times"]),
    }


async def _program(browser: Browser, link: str) -> float:
    """Measure the seconds from `fairdeal join LINK --web` until the page shows the lobby."""
    with TemporaryDirectory() as folder:
        child = python_child(
            *("-u", "-m", "fairdeal", "join", link, "--web"),
            *("--name", "Zoe", "--data", folder),
        )
        environ = {name: value for name, value in child.environ.items() if name not in WINDOWS}
        begun = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *child.command,
            env=environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        while (
            found := re.search(r"http://\S+", (await process.stdout.readline()).decode())
        ) is None:
            assert not process.stdout.at_eof(), "the program has ended"
        page = await browser.new_page()
        await page.goto(found[0])
        await page.wait_for_selector(LOBBY, timeout=PATIENCE)
        taken = time.perf_counter() - begun
        await page.close()
        process.terminate()
        await process.communicate()
    return taken


async def _tab(browser: Browser, site: str, link: str) -> tuple[float, float, float]:
    """Measure the seconds from the address until the page shows the lobby, in a new profile and
    again in the same one, and the bytes of the largest renderer while a seat is taken.
    """
    context = await browser.new_context()
    first = await _visit(context, site, link)
    second = await _visit(context, site, link)
    page = context.pages[-1]
    await sit_down(page)
    await page.wait_for_selector("h1:has-text('Waiting for others')", timeout=PATIENCE)
    memory = max(
        process.memory_info().rss
        for process in psutil.Process().children(recursive=True)
        if "--type=renderer" in process.cmdline()
    )
    await context.close()
    return first, second, memory


async def _visit(context: BrowserContext, site: str, link: str) -> float:
    page = await context.new_page()
    begun = time.perf_counter()
    await page.goto(f"{site}#{link}")
    await page.fill("#name", "Ann")
    await page.keyboard.press("Enter")
    await page.wait_for_selector(LOBBY, timeout=PATIENCE)
    return time.perf_counter() - begun


async def _deal(browser: Browser) -> list[float]:
    """Return the seconds of three deals in a worker of a browser."""
    folder = built_page()
    contents = dict(package_files(ROOT / "tests"))
    (folder / "tests.zip").write_bytes(archive(contents))
    (folder / "deal.txt").write_text(DEAL)
    (folder / "deal.js").write_text(WORKER)
    (folder / "page.js").write_text(PAGE)
    (folder / "deal.html").write_text(
        '<!doctype html><title>deal</title><body><script src="page.js"></script></body>'
    )
    async with web_server(folder) as site:
        page = await browser.new_page()
        await page.goto(f"{site}deal.html")
        body = page.locator("body", has_text="[")
        await body.wait_for(timeout=PATIENCE)
        found: list[float] = json.loads(await body.inner_text())
        await page.close()
    assert all(isinstance(each, float) for each in found), found
    return found
