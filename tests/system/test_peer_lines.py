"""Match over real sockets that moves to a table's pipe and back, and to another address, while it
runs.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from player.cli.direct_arguments import parser
from player.multipath.line_set import LineKind
from protocol.audit.verdict import Verdict, audit
from protocol.games.registry import BUILT_IN
from table.manager.server import TableServer
from tests.support.reached import Played
from tests.support.tables import config
from tests.system.test_peers import Program, hosting

pytestmark = pytest.mark.match


async def ended_well(played: Played) -> None:
    await played.over()
    assert all(person.client.settled for person in played.people)
    ann, bob = (person.side.log() for person in played.people)
    assert ann == bob and audit(ann).verdict is Verdict.CLEAN


@asynccontextmanager
async def played_with_a_pipe(folder: Path, haste: float = 1) -> AsyncIterator[Played]:
    """Run a match over a direct line, with a table's pipe as second line."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(240))
        table = await stack.enter_async_context(TableServer(config(folder / "table")))
        played = await stack.enter_async_context(Played(folder, table=table.link, haste=haste))
        await played.until(LineKind.LAN, 8)
        await played.beside(LineKind.RELAY)
        yield played


async def test_match_moves_from_direct_line_to_table_and_back(tmp_path):
    async with played_with_a_pipe(tmp_path) as played:
        played.gate.cut()
        await played.until(LineKind.RELAY, played.number + 2)
        played.gate.shut = False
        await played.until(LineKind.LAN, played.number + 2)
        await ended_well(played)


async def test_silent_direct_line_is_replaced(tmp_path):
    async with played_with_a_pipe(tmp_path, haste=3) as played:
        played.gate.deaf = True
        await played.until(LineKind.RELAY, played.number + 2)
        await ended_well(played)


async def test_peer_calls_second_known_address_when_first_is_gone(tmp_path):
    async with asyncio.timeout(240), Played(tmp_path, share=True) as played:
        await played.until(LineKind.LAN, 8)
        played.gate.cut()
        await played.until(LineKind.LAN, played.number + 4)
        assert played.gate.shut
        await ended_well(played)


async def test_peer_stopped_while_hanging_up_leaves_no_file_open(tmp_path):
    async with asyncio.timeout(240), Played(tmp_path) as played:
        await played.until(LineKind.LAN, 8)
        reach, store = played.ann.reach, played.ann.match.store
        for work in played.ann.work:
            work.cancel()
        await asyncio.sleep(0)
        for work in played.ann.work:  # now the pipe closes
            work.cancel()
        await asyncio.wait(played.ann.work)
        assert reach is not None and store is not None and store._file.closed


@pytest.mark.process
async def test_two_programs_use_all_lines(tmp_path):
    async with asyncio.timeout(240), TableServer(config(tmp_path / "table")) as table:
        words = ("--lines", "--through", str(table.link))
        host, link = await hosting(
            tmp_path, *words, "--game", "draw-dominoes", "--target", "40", pace="0.05"
        )
        guest = await Program(tmp_path / "bob", "join", "Bob", link, *words, pace="0.05").start()
        assert (
            "Verdict: no cheating found" in await guest.end()
            and "Verdict: no cheating found" in await host.end()
        )
        assert host.log == guest.log


@pytest.mark.parametrize(
    "link", ["fairdeal://127.0.0.1:7500", f"fairdeal-direct://127.0.0.1:7500/{40 * 'a'}", "nowhere"]
)
def test_address_without_table_is_no_pipe(capsys, link):
    with pytest.raises(SystemExit):
        parser("invite", BUILT_IN).parse_args(["--through", link])
    assert "--through" in capsys.readouterr().err
