"""The page in a real browser: time from the command to the first view, time from an event to the
answer, and size.

The baseline is the time of an entry of the same match without a page, in the same run. The browser
is already running. The view of a match is complete when the own hand is visible. The answer is a
request that the page sends after it has drawn a snapshot, before the browser paints it. Single
events wait until the page has painted the previous one. Events in a row follow each answer at once,
so their time includes painting.
"""

import asyncio
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from playwright.async_api import Browser, async_playwright

from bots.registry import BOTS
from commandline.children import python_child
from player.ui.web.browser import WINDOWS
from protocol.identity.keys import Identity
from protocol.match.log_file import read_records
from tests.page.visits import FLAGS
from tests.support.fake_table import FakeTable, listening
from tests.support.pages import Served, playing
from tests.support.play import play

ROOT = Path(__file__).parents[2]
READY = "html[data-ready]"
HAND = "#hand button"
ANSWER = """() => {
  const headers = { Authorization: "Bearer " + sessionStorage.getItem("fairdeal token") };
  const answer = () => fetch("/api/say", { method: "POST", headers, body: '{"text":""}' });
  new MutationObserver(answer).observe(document.documentElement, { attributeFilter: ["data-ready"] });
}"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))"


def measure(events: int) -> dict[str, float]:
    """Send `events` events to one page. The other times are measured once for each fifty events."""
    finder = subprocess.run(
        [ROOT / "scripts" / "_browser"], capture_output=True, text=True, check=True
    )
    return asyncio.run(_measured(finder.stdout.strip(), events))


async def _measured(chromium: str, events: int) -> dict[str, float]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        starts = [await _from_command(browser) for _ in range(-(-events // 50))]
        opening, size, answers, row = await _answers(browser, events)
        await browser.close()
    views, matches = zip(*starts, strict=True)
    return {
        "page_command_to_view_ms": median(views) * 1000,
        "page_command_to_match_ms": median(matches) * 1000,
        "page_open_to_view_ms": median(opening) * 1000,
        "page_event_and_answer_ms": median(answers) * 1000,
        "page_event_in_a_row_ms": median(row) * 1000,
        "page_match_entry_ms": await _entry() * 1000,
        "page_bytes": size,
    }


async def _from_command(browser: Browser) -> tuple[float, float]:
    """Measure the seconds from `fairdeal play --web` to the first view, and to the view of the
    match.
    """
    with TemporaryDirectory() as folder:
        words = (
            "play",
            "block-dominoes",
            "--web",
            "--pace",
            "0",
            "--name",
            "Zoe",
            "--logs",
            folder,
        )
        child = python_child("-u", "-m", "fairdeal", *words)
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
        tab = await browser.new_page()
        await tab.goto(found[0])
        await tab.wait_for_selector(READY)
        view = time.perf_counter() - begun
        await tab.wait_for_selector(HAND)
        match = time.perf_counter() - begun
        await tab.close()
        process.terminate()
        await process.communicate()
    return view, match


async def _answers(
    browser: Browser, events: int
) -> tuple[list[float], int, list[float], list[float]]:
    """Measure seconds from opening to view, bytes of a view, and seconds from an event to its
    answer for single events and for events in a row.
    """
    with TemporaryDirectory() as folder:
        async with playing(FakeTable(2), Path(folder)) as (served, _):
            opening = []
            size = 0
            for _ in range(-(-events // 50)):
                tab = await browser.new_page()
                begun = time.perf_counter()
                await tab.goto(served.links.new())
                await tab.wait_for_selector(READY)
                opening.append(time.perf_counter() - begun)
                size = await tab.evaluate(
                    "() => performance.getEntries().reduce((sum, one) => sum + "
                    "(one.encodedBodySize ?? 0), 0)"
                )
                await tab.close()
            tab = await browser.new_page()
            await tab.goto(served.links.new())
            await tab.wait_for_selector(HAND)
            await tab.evaluate(ANSWER)
            answers = []
            with _answered(served) as heard:
                for number in range(events):
                    await tab.evaluate(PAINTED)
                    answers.append(await _one(served, heard, number))
                row = [await _one(served, heard, number) for number in range(events)]
    return opening, size, answers, row


@contextmanager
def _answered(served: Served) -> Iterator[asyncio.Event]:
    """Yield an event that is set when a page sends an answer."""
    heard = asyncio.Event()
    say = served.screen.say_it

    def hear(remark: str) -> None:
        heard.set()

    served.screen.say_it = hear  # type: ignore[method-assign]
    try:
        yield heard
    finally:
        served.screen.say_it = say  # type: ignore[method-assign]


async def _one(served: Served, heard: asyncio.Event, number: int) -> float:
    heard.clear()
    begun = time.perf_counter()
    served.screen.line(f"Event {number}.")
    served.screen.changed()
    await heard.wait()
    return time.perf_counter() - begun


async def _entry() -> float:
    """Measure the seconds for an entry of the same match without a page."""
    rng = Random(3)
    with TemporaryDirectory() as folder:
        log = Path(folder) / "match.fairdeal"
        async with listening(FakeTable(2)) as link:
            begun = time.perf_counter()
            await play(link, Identity(b"m" * 32), "Zoe", BOTS["greedy"], rng=rng, log_path=log)
        return (time.perf_counter() - begun) / sum(1 for _ in read_records(log.read_bytes()))
