"""`fairdeal relay` and `fairdeal host --relay` as programs: from behind a router, and from one machine."""

import asyncio
import re
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from subprocess import PIPE, Popen, run

import pytest

from player.storage.log_store import read_log
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import JoinLink
from protocol.match.log import decode_entry
from tests.support.namespaces import KEPT, require_namespaces
from tests.support.ports import free_port

pytestmark = pytest.mark.process

SECONDS = 120
LINK = re.compile(rb"fairdeal join (fairdeal\+ws://\S+/t/\S+)")
RELAY = "10.78.0.1"
# exit code 0 if a machine answers, if only by refusing
REACHED = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 1), 1)
except ConnectionRefusedError:
    sys.exit(0)
except OSError:
    sys.exit(1)
"""
GUESTS = ("ann", "bob")
OTHERS = ("home", *GUESTS)  # networks 10.78.1.0/24 and so on


class Program:
    """A program of the product, and what it says."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = b""

    async def line(self, pattern: re.Pattern[bytes]) -> bytes:
        """Wait until it says something of this form; return the group."""
        async with asyncio.timeout(SECONDS):
            while True:
                if (found := pattern.search(self.said)) is not None:
                    return found[1]
                more = await self.process.stdout.readline()
                assert more, self.said
                self.said += more


class Programs:
    """All programs of a test; each is killed at its end."""

    def __init__(self, folder, stack: AsyncExitStack) -> None:
        self.folder, self._stack = folder, stack

    async def start(self, *words: str, inside=None) -> Program:
        command = [sys.executable, "-u", "-m", "fairdeal", *words]
        process = await asyncio.create_subprocess_exec(
            *(inside(*command) if inside else command),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._stack.push_async_callback(_end, process)
        return Program(process)

    async def relay(self, address: str, inside=None) -> str:
        """Start a relay; return its URL."""
        where = f"{address}:{free_port()}"
        relay = await self.start("relay", "--listen", where, inside=inside)
        return (await relay.line(re.compile(rb"(ws://\S+)"))).decode()

    async def host(self, url: str, inside=None) -> tuple[Program, JoinLink]:
        """Start a table behind a relay; return its link there, once guests find it."""
        table = await self.start(
            *("host", "--relay", url, "--listen", "127.0.0.1:0", "--once"),
            *("--data", str(self.folder / "table"), "--game", "draw-dominoes", "--target", "15"),
            inside=inside,
        )
        link = JoinLink.parse((await table.line(LINK)).decode())
        await table.line(re.compile(rb"(guests find this table at)"))
        return table, link

    async def join(self, link: JoinLink, name: str, inside=None) -> Program:
        """Start a player."""
        return await self.start(
            *("join", str(link), "--name", name, "--bot", "greedy", "--quiet"),
            *("--data", str(self.folder / name), "--log", str(self.log(name))),
            inside=inside,
        )

    def log(self, name: str):
        return self.folder / f"{name}.fairdeal"

    async def ended_well(self, players: list[Program], names: tuple[str, ...]) -> None:
        """Both have the whole match, in which nobody lapsed or left."""
        async with asyncio.timeout(SECONDS):
            for player in players:
                said, _ = await player.process.communicate()
                assert player.process.returncode == 0, said
                assert b"Verdict: no cheating found" in said
        logs = [self.log(name).read_bytes() for name in names]
        assert logs[0] == logs[1] and audit(logs[0]).verdict is Verdict.CLEAN
        kinds = {decode_entry(entry).kind for entry, _ in read_log(self.log(names[0]))}
        assert not kinds & {"leave", "warning", "lapse"}


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


@pytest.fixture
async def programs(tmp_path):
    async with AsyncExitStack() as stack:
        yield Programs(tmp_path, stack)


async def test_programs_play_through_relay(programs):
    url = await programs.relay("127.0.0.1")
    table, link = await programs.host(url)
    players = [await programs.join(link, name) for name in ("Ann", "Bob")]
    await programs.ended_well(players, ("Ann", "Bob"))
    async with asyncio.timeout(SECONDS):
        await table.process.wait()


class Networks:
    """A relay's network, and three behind it that reach nobody but the relay, and not each other.

    The relay's namespace forwards nothing, and the table listens at its own loopback alone, so its
    only way out are connections that it makes. No rights are needed, and nothing outside is touched.
    """

    def __enter__(self) -> "Networks":
        require_namespaces()
        with ExitStack() as begun:
            self._kept = begun
            self._relay = self._keep("unshare", "-rn", *KEPT)
            _run(self.relay("ip", "link", "set", "lo", "up"))
            _run(self.relay("ip", "address", "add", f"{RELAY}/32", "dev", "lo"))
            self._others = {name: self._connect(number) for number, name in enumerate(OTHERS, 1)}
            self._kept = begun.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def relay(self, *words: str) -> list[str]:
        """Make a command of the relay's namespace."""
        return _inside(self._relay, words)

    def at(self, name: str) -> Callable[..., list[str]]:
        """Return what makes a command of this namespace."""
        return lambda *words: _inside(self._others[name], words)

    def _keep(self, *words: str) -> int:
        keeper = Popen(words, stdout=PIPE)
        self._kept.callback(keeper.communicate)
        self._kept.callback(keeper.kill)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"here\n"
        return keeper.pid

    def _connect(self, number: int) -> int:
        other = self._keep(*self.relay("unshare", "-n", *KEPT))
        near, far = (f"10.78.{number}.{end}" for end in (1, 2))
        ends = ("type", "veth", "peer", "name", "out", "netns", str(other))
        _run(self.relay("ip", "link", "add", f"to{number}", *ends))
        _run(self.relay("ip", "address", "add", f"{near}/24", "dev", f"to{number}"))
        _run(self.relay("ip", "link", "set", f"to{number}", "up"))
        _run(_inside(other, ("ip", "address", "add", f"{far}/24", "dev", "out")))
        for device in ("lo", "out"):
            _run(_inside(other, ("ip", "link", "set", device, "up")))
        _run(_inside(other, ("ip", "route", "add", "default", "via", near)))
        return other


def _inside(pid: int, words: tuple[str, ...]) -> list[str]:
    return ["nsenter", "-t", str(pid), "-U", "-n", "--preserve-credentials", "--", *words]


def _run(words: list[str]) -> None:
    run(words, check=True)


async def test_friends_elsewhere_play_at_a_table_behind_a_router(programs):
    with Networks() as networks:
        url = await programs.relay(RELAY, inside=networks.relay)
        table, link = await programs.host(url, inside=networks.at("home"))
        # nobody reaches the table's network but the relay
        reached = (sys.executable, "-c", REACHED)
        assert run([*networks.at("ann")(*reached, RELAY)]).returncode == 0
        assert run([*networks.at("ann")(*reached, "10.78.1.2")]).returncode == 1
        players = [await programs.join(link, name, inside=networks.at(name)) for name in GUESTS]
        await programs.ended_well(players, GUESTS)
        async with asyncio.timeout(SECONDS):
            await table.process.wait()
