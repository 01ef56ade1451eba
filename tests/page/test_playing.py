"""Matches by clicks, from the link to the verdict: the log is clean, whatever happens to the
program.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest
from playwright.async_api import Page, TimeoutError

from bots.registry import BOTS
from player.ui.web.browser import WINDOWS
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Config
from table.manager.server import TableServer
from tests.page.visits import Visits, no_more
from tests.support.fake_table import FakeTable
from tests.support.pages import playing
from tests.support.play import play

ROOT = Path(__file__).parents[2]
GAMES = {"block-dominoes": {"target": 20}, "texas-holdem": {"hands": 1}}
ONE_HAND = {"target": 1}
DOMINOES, LAYERED = Selection("block-dominoes", (("target", 20),)), Selection("layered")
# questions about final actions, or about the end of a line
ASKS = "dialog[open] .danger, .which:not([hidden]) button"
MINE = "#hand [data-fits], .offers button.primary"
OVER = ".end:not([hidden])"


async def choose(tab: Page, mine: str = MINE) -> bool:
    """Wait for our turn, and take the first possible choice (`mine`). Return False if the match
    ends before.

    Another tab may move meanwhile, or even end the match. Then the element to click is hidden.
    """
    for last in (False, False, True):
        await tab.wait_for_selector(f"{ASKS}, {mine}, {OVER}")
        if await tab.locator(OVER).count():
            return False
        asked = await tab.locator(ASKS).count()
        turn = await tab.get_attribute("html", "data-ready")
        try:
            await tab.locator(ASKS if asked else mine).first.click(timeout=20_000)
        except TimeoutError:
            if last:
                raise
        else:
            gone = f'html:not([data-ready="{turn}"])'
            await tab.wait_for_selector(gone if asked else f"{gone}, {ASKS}")
            break
    return True


async def play_out(tab: Page, mine: str = MINE) -> None:
    """Play to the end."""
    while await choose(tab, mine):
        """There was something to do."""


def own_moves(log: bytes) -> int:
    """Count the moves of seat 0 in a log."""
    entries = [decode_entry(record.entry) for record in read_records(log)]
    return sum(entry.kind == "move" and entry.author == 0 for entry in entries)


@pytest.mark.match
@pytest.mark.parametrize("game", GAMES)
async def test_a_match_by_clicks(visits: Visits, tmp_path: Path, game: str):
    table = FakeTable(2, game=game, dealing="verified", options=GAMES[game])
    async with playing(table, tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        await play_out(tab)
        assert "clean" in await tab.inner_text(".badge")
        await no_more(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN and own_moves(log.read_bytes()) >= 2


@pytest.mark.match
async def test_two_tabs_play_one_match(visits: Visits, tmp_path: Path):
    async with playing(FakeTable(2, options=ONE_HAND), tmp_path) as (page, log):
        one = await visits.open(page.links.new())
        other = await visits.tab(one.context, page.links.new())
        going = True
        while going:
            await one.wait_for_selector(f"{MINE}, {OVER}")
            await other.wait_for_selector(f"{MINE}, {OVER}")
            going = all(await asyncio.gather(choose(one), choose(other)))
        await one.wait_for_selector(OVER)
        await other.wait_for_selector(OVER)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    for tab in (one, other):
        await tab.close()  # so that this page sends nothing more
    # the second tab got this answer
    visits.complaints = [line for line in visits.complaints if "409" not in line]


@pytest.mark.match
async def test_closing_all_tabs_ends_nothing(visits: Visits, tmp_path: Path):
    async with playing(FakeTable(2, options=ONE_HAND), tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        await choose(tab)
        await tab.close()
        tab = await visits.open(page.links.new())
        await tab.wait_for_selector("[role=log] :text('Dealing hand 1')")
        await play_out(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


class Program:
    """Program `fairdeal join --web`, restarted with the same arguments."""

    def __init__(self, link: object, data: Path) -> None:
        self._words = (
            str(link),
            "--web",
            "--table",
            "main",
            "--name",
            "Zoe",
            "--data",
            str(data),
            "--lang",
            "en",
        )
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it without a window system, so that it prints the link."""
        environ = {name: value for name, value in os.environ.items() if name not in WINDOWS}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-u",
            "-m",
            "player",
            *self._words,
            cwd=ROOT,
            env=environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )

    async def says(self, pattern: str) -> str:
        """Read up to the line with this pattern, and return the matching text."""
        assert self._process is not None and self._process.stdout is not None
        while line := (await self._process.stdout.readline()).decode():
            if found := re.search(pattern, line):
                return found[0]
        raise AssertionError(f"it ended without {pattern}")

    async def kill(self) -> None:
        """Kill it with SIGKILL."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def end(self) -> int:
        """Wait for the end, and return the exit code."""
        assert self._process is not None
        return await self._process.wait()

    async def new_link(self) -> str:
        """Press Enter, and return the printed link."""
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(b"\n")
        return await self.says(r"http://\S+")


@asynccontextmanager
async def program(
    tmp_path: Path,
    game: Selection = DOMINOES,
    dealing: Selection = LAYERED,
    bot: str = "greedy",
) -> AsyncIterator[Program]:
    """Run a table with a bot, and a program whose person plays on a page."""
    terms = make_terms(game, dealing, Allowance().options(), 2)
    async with (
        asyncio.timeout(240),
        TableServer(Config(tmp_path / "table", port=0, terms=terms)) as table,
    ):
        rng = Random(4)
        bob = asyncio.create_task(
            play(table.link, Identity(rng.randbytes(32)), "Bob", BOTS[bot], rng=rng)
        )
        made = Program(table.link, tmp_path / "zoe")
        await made.start()
        try:
            yield made
        finally:
            await made.kill()
            bob.cancel()
            await asyncio.wait([bob])


@pytest.mark.process
async def test_open_page_reconnects_to_the_next_program_run(visits: Visits, tmp_path: Path):
    async with program(tmp_path) as zoe:
        tab = await visits.open(await zoe.says(r"http://\S+"))
        for _ in range(2):
            await choose(tab)
            await tab.wait_for_selector(MINE)
            await zoe.kill()
            await tab.wait_for_selector("#program:not([hidden])")
            assert await tab.locator(MINE).count() == 0
            assert "clean" not in await tab.inner_text(".badge")
            await zoe.start()
            await tab.wait_for_selector("#program[hidden]", state="attached")
            await tab.wait_for_selector("[role=log] :text('Dealing hand 1')")
        await play_out(tab)
        await no_more(tab)
        await zoe.says("The page stays")
        await tab.reload()
        await tab.wait_for_selector(OVER)
        await tab.close()
        assert await zoe.end() == 0
    (log,) = (tmp_path / "zoe").rglob("*.fairdeal")
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    # from the time without a program
    visits.complaints = [line for line in visits.complaints if "ERR_" not in line]


@pytest.mark.process
async def test_page_tells_nothing_to_another_program_at_its_port(visits: Visits, tmp_path: Path):
    asked: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
        body = b'{"answer":"aaaaaaaaaaaaaaaa","proof":"00"}'
        writer.write(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
        await writer.drain()
        writer.close()

    async with program(tmp_path) as zoe:
        link = await zoe.says(r"http://\S+")
        tab = await visits.open(link)
        await tab.wait_for_selector(MINE)
        await zoe.kill()
        port = int(link.partition("/#")[0].rpartition(":")[2])
        async with await asyncio.start_server(answer, "127.0.0.1", port):
            await tab.wait_for_selector("#program:text('A different program answers here')")
            await zoe.start()
            moved = await zoe.says(r"http://\S+")
        assert asked and not any("authorization" in request for request in asked)
        assert f":{port}/" not in moved
        await tab.goto(moved)
        await tab.wait_for_selector(MINE)
        again = await visits.tab(tab.context, await zoe.new_link())
        await again.wait_for_selector(MINE)
        for page in (tab, again):
            # before the program is killed, because the page would report it later
            await page.close()
    visits.complaints = [line for line in visits.complaints if "ERR_" not in line]
