"""Directory, table and player as programs, at addresses of the internet in a network of their own."""

import asyncio
import json
import re
import sys
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from subprocess import PIPE, Popen, run

import pytest

from protocol.directory.link import ReportLink
from protocol.directory.table_list import decode_list
from tests.support.namespaces import KEPT, require_namespaces
from tests.support.tables import until

pytestmark = pytest.mark.process

SECONDS = 120
DIRECTORY, TABLE = "93.184.216.35", "93.184.216.34"


class Internet:
    """A network with these two addresses. No rights are needed, and nothing outside is touched."""

    def __init__(self, stack: ExitStack) -> None:
        require_namespaces()
        keeper = Popen(["unshare", "-rn", *KEPT], stdout=PIPE)
        stack.callback(keeper.communicate)
        stack.callback(keeper.kill)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"here\n"
        self._pid = keeper.pid
        run(self.inside("ip", "link", "set", "lo", "up"), check=True)
        for address in (DIRECTORY, TABLE):
            run(self.inside("ip", "address", "add", f"{address}/32", "dev", "lo"), check=True)

    def inside(self, *words: str) -> list[str]:
        """Return the command for this network."""
        enter = ["nsenter", "-t", str(self._pid), "-U", "-n", "--preserve-credentials", "--"]
        return [*enter, *words]

    def fairdeal(self, *words: str) -> list[str]:
        """Return the command of the product for this network."""
        return self.inside(sys.executable, "-P", "-u", "-m", "fairdeal", *words)


class Programs:
    """Programs of the product; each is killed at the end of a test."""

    def __init__(self, net: Internet, stack: AsyncExitStack) -> None:
        self.net, self._stack = net, stack

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self.net.fairdeal(*words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._stack.push_async_callback(_end, process)
        return process


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


async def until_said(process: asyncio.subprocess.Process, pattern: bytes) -> re.Match[bytes]:
    """Read what a program says until it says something of this form."""
    said = b""
    async with asyncio.timeout(SECONDS):
        while (found := re.search(pattern, said)) is None:
            more = await process.stdout.read(1_000)
            assert more, said
            said += more
    return found


@pytest.fixture
async def programs():
    with ExitStack() as net:
        async with AsyncExitStack() as stack:
            yield Programs(Internet(net), stack)


async def listed(programs: Programs, file: str, data: str) -> dict:
    """Wait until the list has a table; return what `fairdeal tables --json` says."""
    await until(lambda: decode_list(Path(file).read_bytes()).reports, SECONDS)
    asked = await programs.start("tables", file, "--json", "--data", data)
    said, _ = await asked.communicate()
    return json.loads(said)


async def test_player_finds_a_table_and_sits_down(programs, tmp_path):
    file = str(tmp_path / "tables.list")
    directory = await programs.start(
        *("directory", "--listen", f"{DIRECTORY}:7595", "--data", str(tmp_path / "directory")),
        *("--file", file),
    )
    said = await until_said(directory, rb"(fairdeal-directory://\S+)")
    link = ReportLink.parse(said[1].decode())
    assert (link.address.host, link.address.port) == (DIRECTORY, 7595)
    table = await programs.start(
        *("host", "--listen", f"{TABLE}:7500", "--directory", str(link), "--name", "Corner"),
        *("--data", str(tmp_path / "table"), "--game", "draw-dominoes"),
    )
    await until_said(table, rb"lists this table")
    data = str(tmp_path / "player")
    found = await listed(programs, file, data)
    (row,) = found["tables"]
    assert found["directory"] == link.fingerprint
    assert (row["name"], row["games"], row["taken"]) == ("Corner", ["draw-dominoes"], 0)
    assert row["link"].startswith(f"fairdeal://{TABLE}:7500/")
    player = await programs.start("tables", file, "--seat", "--name", "Ann", "--data", data)
    await until_said(player, rb"sit down\? \[y/N\]")
    player.stdin.write(b"y\n")
    await until_said(player, rb"(?i)waiting")
    looks = await programs.start("join", row["link"], "--list", "--data", str(tmp_path / "other"))
    said, _ = await looks.communicate()
    assert b"Ann" in said


async def test_host_whose_table_nobody_reaches_is_told_so(programs, tmp_path):
    link = f"fairdeal-directory://{DIRECTORY}:7595/{'a' * 40}"
    table = await programs.start("host", "--directory", link, "--data", str(tmp_path))
    said, _ = await table.communicate()
    assert table.returncode == 2 and b"--listen 0.0.0.0:7500" in said
