"""Lines that die without a word, and programs that are stopped: real programs and real sockets
(docs/protocol, 4.9).
"""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from player.storage.log_store import read_log
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import JoinLink
from protocol.limits import LIFE_SECONDS, SILENCE_SECONDS
from protocol.match.log import decode_entry
from tests.support.middlebox import Middlebox
from tests.support.namespaces import TABLE, Namespaces
from tests.support.ports import free_port

pytestmark = pytest.mark.process

ENTRIES = 30  # of a log, after which something happens: the match has begun
STOPPED = SILENCE_SECONDS + 4 * LIFE_SECONDS  # seconds; both sides know by then that a line is dead
SECONDS = 120  # for what must happen, on a busy machine
NAMES = ("Ann", "Bob")


def here(*words: str) -> list[str]:
    """A command of this network."""
    return list(words)


class Played:
    """One match of two bots at one table: three programs."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.errors = folder / "table.txt"

    async def start(self, *words, inside=here) -> asyncio.subprocess.Process:
        """Start a program, which is killed at the end if it still runs."""
        command = inside(sys.executable, "-u", "-m", *words)
        with self.errors.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=errors
            )
        self._stack.push_async_callback(_end, process)
        return process

    async def open(self, *words, address="127.0.0.1", inside=here) -> JoinLink:
        """Start the table; its link."""
        where = ("--listen", f"{address}:{free_port()}", "--data", str(self.folder / "table"))
        game = ("--game", "draw-dominoes", "--target", "15", "--once")
        self.table = await self.start("table", *where, *game, *words, inside=inside)
        return JoinLink.parse((await self.table.stdout.readline()).decode())

    async def sit_down(self, name: str, link: JoinLink, inside=here) -> asyncio.subprocess.Process:
        """Start a player."""
        words = ("--name", name, "--bot", "greedy", "--pace", "0.1", "--quiet")
        kept = ("--data", str(self.folder / name), "--log", str(self.log(name)))
        return await self.start("player", str(link), *words, *kept, inside=inside)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.fairdeal"

    def entries(self, name: str) -> int:
        """Count the entries that a player has on disk."""
        return len(read_log(self.log(name))) if self.log(name).exists() else 0

    async def until(self, name: str, entries: int) -> None:
        async with asyncio.timeout(SECONDS):
            while self.entries(name) < entries:
                await asyncio.sleep(0.05)

    async def ended_well(self, *players: asyncio.subprocess.Process) -> None:
        """Both have the whole match, in which nobody was warned, lapsed or left."""
        async with asyncio.timeout(SECONDS):
            for player in players:
                said, _ = await player.communicate()
                assert player.returncode == 0 and b"Verdict: no cheating found" in said
            await self.table.wait()
        ann, bob = (self.log(name).read_bytes() for name in NAMES)
        assert ann == bob and audit(ann).verdict is Verdict.CLEAN
        kinds = {decode_entry(entry).kind for entry, _ in read_log(self.log("Ann"))}
        assert not kinds & {"leave", "warning", "lapse"}

    def says(self, words: str) -> int:
        """Count these words in the table's log."""
        return self.errors.read_text().count(words)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


@pytest.fixture
async def played(tmp_path):
    async with AsyncExitStack() as stack:
        yield Played(tmp_path, stack)


async def seconds_of(work) -> float:
    clock = asyncio.get_running_loop().time
    began = clock()
    await work
    return clock() - began


@pytest.mark.parametrize("web", [False, True], ids=["tcp", "websocket"])
async def test_match_survives_middlebox_that_forgets_its_lines(played, web):
    port = free_port()
    link = await played.open(*(("--ws", f"127.0.0.1:{port}") if web else ()))
    if web:
        link = replace(link, web_scheme="ws", path="/fairdeal", port=port)
    async with Middlebox(link.port) as box:
        ann = await played.sit_down("Ann", replace(link, port=box.port))
        bob = await played.sit_down("Bob", link)
        await played.until("Ann", ENTRIES)
        box.forget()
        had = played.entries("Ann")
        silent = await seconds_of(played.until("Ann", had + 10))
        assert SILENCE_SECONDS - 1 < silent < SILENCE_SECONDS + 5 * LIFE_SECONDS
        assert box.lines == 2
        await played.ended_well(ann, bob)


@pytest.mark.parametrize("what", ["change_address", "drop_packets"])
async def test_match_survives_network_that_drops_packets(played, what):
    with Namespaces() as networks:
        link = await played.open(address=TABLE, inside=networks.at_table)
        ann = await played.sit_down("Ann", link, inside=networks.at_player)
        bob = await played.sit_down("Bob", link, inside=networks.at_table)
        await played.until("Ann", ENTRIES)
        getattr(networks, what)()
        had = played.entries("Ann")
        silent = await seconds_of(played.until("Ann", had + 10))
        assert SILENCE_SECONDS - 1 < silent < SILENCE_SECONDS + 5 * LIFE_SECONDS
        await played.ended_well(ann, bob)


async def test_stopped_player_frees_its_connection_and_keeps_its_seat(played):
    link = await played.open()
    ann, bob = [await played.sit_down(name, link) for name in NAMES]
    await played.until("Ann", ENTRIES)
    ann.send_signal(signal.SIGSTOP)
    await asyncio.sleep(STOPPED)
    assert played.says("says nothing any more") == 1
    ann.send_signal(signal.SIGCONT)
    await played.ended_well(ann, bob)
    assert played.says("says nothing any more") == 1


async def test_players_of_stopped_table_come_back_when_it_wakes(played):
    link = await played.open()
    ann, bob = [await played.sit_down(name, link) for name in NAMES]
    await played.until("Ann", ENTRIES)
    played.table.send_signal(signal.SIGSTOP)
    await asyncio.sleep(STOPPED)
    played.table.send_signal(signal.SIGCONT)
    await played.ended_well(ann, bob)
    # each once at first, and again since
    assert played.says("is here") == 4 and played.says("says nothing any more") == 0


async def test_programs_that_all_stood_still_keep_their_lines(played):
    link = await played.open()
    ann, bob = [await played.sit_down(name, link) for name in NAMES]
    await played.until("Ann", ENTRIES)
    programs = (played.table, ann, bob)
    for program in programs:
        program.send_signal(signal.SIGSTOP)
    await asyncio.sleep(STOPPED)
    for program in programs:
        program.send_signal(signal.SIGCONT)
    await played.ended_well(ann, bob)
    assert played.says("is here") == 2 and played.says("says nothing any more") == 0
