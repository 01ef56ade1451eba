"""Four seats at one table: a tab, a tab of a telephone, a person at a terminal, and a bot. Whatever
happens to a tab, its line or the table, the match ends, all logs are equal, and its audit is clean.
"""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.async_api import Page

from player.storage.log_store import read_log
from protocol.audit.verdict import Verdict, audit
from protocol.match.log import decode_entry
from protocol.match.packed_log import plain_log
from tests.page.tabs import TableProgram, bots, built_page, open_tab, sit_down, web_server
from tests.page.test_playing import OVER, play_out
from tests.page.test_tab_company import Line, through_a_line
from tests.page.test_tab_matches import own_log
from tests.page.visits import PHONE, Visits, sideways
from tests.support.terminal import Terminal, at_terminal, keys_of

pytestmark = [
    pytest.mark.match,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.timeout(900),  # four programs, and two tabs of 20 MB
]
PATIENCE = 240.0  # seconds for any step on a busy machine
DOMINOES = ("--game", "block-dominoes", "--deal", "verified", "--target", "1", "--seats", "4")
HOLDEM = ("--game", "texas-holdem", "--deal", "verified", "--option", "hands=1", "--seats", "4")
# seconds; a busy machine needs some of them for a move
QUICK = ("--turn-seconds", "60", "--step-seconds", "60", "--extensions", "0")
AGAIN = "Play again?"
NUMBERED = re.compile(r"^  1  ", re.MULTILINE)  # the first of the numbered choices
NAMED = re.compile(r"^Your turn: (.+)", re.MULTILINE)  # of a game whose choices are words
# what a person types, the best one first
WORDS = ("check", "call", "show", "muck", "stand", "fold")
KEYS = "Keys act at once"  # what a game without turns says
CLEAR = "\x15"  # the key that deletes what is typed


@dataclass
class Four:
    """A match of four seats. `logs`: those of the bot and of the terminal."""

    tab: Page
    phone: Page
    logs: tuple[Path, Path]
    line: Line
    table: TableProgram
    playing: dict[Page, "asyncio.Task[None]"]
    processes: set[int]  # of the browser, that run `tab` and nothing else of the match

    def kinds(self) -> list[str]:
        """Return the kinds of the entries so far, as the bot has them."""
        path = self.logs[0]
        return [decode_entry(one.entry).kind for one in read_log(path)] if path.exists() else []

    async def until(self, condition: Callable[[list[str]], bool]) -> None:
        """Wait until the kinds of the entries are so."""
        async with asyncio.timeout(PATIENCE):
            while not condition(self.kinds()):
                await asyncio.sleep(0.05)

    async def until_moves(self, count: int) -> None:
        """Wait until somebody has made a number of moves, from now on."""
        before = self.kinds().count("move")
        await self.until(lambda kinds: kinds.count("move") >= before + count)

    def play(self, page: Page) -> None:
        """Have a tab play by clicks to the end."""
        self.playing[page] = asyncio.create_task(play_out(page))

    async def pause(self, page: Page) -> None:
        """Have nobody click in a tab any more."""
        task = self.playing.pop(page)
        task.cancel()
        await asyncio.wait([task])

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the tab, its worker too."""
        for process in self.processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in self.processes:
                os.kill(process, signal.SIGCONT)


def renderers() -> set[int]:
    """Return the processes of the browser of this test run that show pages."""
    running = psutil.Process().children(recursive=True)
    return {process.pid for process in running if "--type=renderer" in process.cmdline()}


def choice(screen: str) -> str:
    """Return what a person types who is asked for the newest choice on the screen."""
    named = NAMED.findall(screen)
    if NUMBERED.search(screen):
        return "1"
    offered = [words.split()[0] for words in named[-1].split(", ")]
    return next(word for word in WORDS if word in offered)


async def play_at_terminal(terminal: Terminal) -> None:
    """Type a choice whenever the program asks for one, and press keys that do something, to the end
    of the match.
    """
    answered = 0
    while AGAIN not in terminal.text:
        if KEYS in terminal.text and (keys := keys_of(terminal)):
            terminal.type(keys[0])
        asked = len(NUMBERED.findall(terminal.text) or NAMED.findall(terminal.text))
        if asked > answered and terminal.rows[-1] == ">":
            terminal.type(f"{choice(terminal.text)}\r")
            answered = asked
        await terminal.look()
    terminal.type(f"{CLEAR}no\r")  # a key may have come after the last act
    assert await terminal.end() == 0


@asynccontextmanager
async def four_seats(visits: Visits, folder: Path, *words: str) -> AsyncIterator[Four]:
    """Play a match of four seats. At the end it must be over, and equal and clean for everybody."""
    async with web_server(built_page()) as site:
        table = TableProgram(folder / "table", site, *words)
        try:
            link = await table.start()
            async with _seated(visits, folder, table, site, link) as four:
                yield four
                for page in (four.tab, four.phone):
                    await four.playing[page]
                    await page.wait_for_selector(OVER)
                    assert "clean" in await page.inner_text(".badge")
                    assert not await sideways(page)
        finally:
            await table.end(signal.SIGTERM)
    (kept,) = (folder / "table").rglob("*.fairdeal")
    logs = [plain_log(path.read_bytes()) for path in (*four.logs, kept)]
    logs += [await own_log(page) for page in (four.tab, four.phone)]
    assert len(logs) == 5 and set(logs) == {logs[0]}
    assert audit(logs[0]).verdict is Verdict.CLEAN


@asynccontextmanager
async def _seated(
    visits: Visits, folder: Path, table: TableProgram, site: str, link: str
) -> AsyncIterator[Four]:
    """Seat everybody, and have all of them play."""
    log = folder / "Tim.fairdeal"
    words = ("--name", "Tim", "--data", folder / "Tim", "--log", log, "--lang", "en")
    async with (
        through_a_line(link) as (over_line, line),
        bots(link, folder, "Bob") as (theirs,),
        at_terminal("-m", "fairdeal", "join", link, *words) as terminal,
    ):
        typing = asyncio.create_task(play_at_terminal(terminal))
        phone = await open_tab(visits, site, link, "Cleo", size=PHONE, has_touch=True)
        others = renderers()
        tab = await open_tab(visits, site, over_line)
        four = Four(tab, phone, (theirs, log), line, table, {}, renderers() - others)
        try:
            for page in (tab, phone):
                page.set_default_timeout(PATIENCE * 1000)
                await sit_down(page)
                four.play(page)
            yield four
            await typing
        finally:
            for task in (typing, *four.playing.values()):
                task.cancel()
            await asyncio.wait([typing, *four.playing.values()])


async def reload_the_tabs(four: Four) -> None:
    """Load both tabs anew, one after the other, in the middle of the match."""
    for page in (four.tab, four.phone):
        await four.until_moves(1)
        await four.pause(page)
        await page.reload()
        four.play(page)


async def lose_the_line(four: Four) -> None:
    """Cut the line of a tab, three times."""
    for _ in range(3):
        await four.until_moves(1)
        four.line.cut()


async def kill_the_table(four: Four) -> None:
    """Kill the table, and start it again."""
    await four.until_moves(1)
    await four.table.end(signal.SIGKILL)
    await four.table.start()


async def freeze_a_tab(four: Four) -> None:
    """Stop a tab until the table has given up its line, as a telephone does that is locked."""
    await four.until_moves(1)
    with four.frozen():
        async with asyncio.timeout(PATIENCE):
            while four.line.open:
                await asyncio.sleep(0.05)


async def freeze_a_tab_until_it_lapses(four: Four) -> None:
    """Stop a tab for so long that the others go on without it."""
    await four.until_moves(1)
    with four.frozen():
        await four.until(lambda kinds: "lapse" in kinds)


@pytest.mark.parametrize(
    ("game", "fault"),
    [
        (DOMINOES, reload_the_tabs),
        (HOLDEM, lose_the_line),
        (DOMINOES, kill_the_table),
        (DOMINOES, freeze_a_tab),
        ((*HOLDEM, *QUICK), freeze_a_tab_until_it_lapses),
    ],
)
async def test_match_of_four_ends_equal_and_clean(
    visits: Visits, tmp_path: Path, game: tuple[str, ...], fault: Callable[[Four], Awaitable[None]]
) -> None:
    async with four_seats(visits, tmp_path, *game) as four:
        await fault(four)
