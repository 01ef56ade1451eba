"""A table whose matches worker processes fold: with sockets, a disk, and workers that die."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.match.refusal import UNDECIDABLE_CODES
from table.manager.server import TableServer
from table.workers.pool import FoldPool
from tests.support.dying_worker import DIES, SPINS
from tests.support.tables import close_all, config, exported, finish, seated, until
from tests.support.wire_client import Player

pytestmark = pytest.mark.process


class DyingPool(FoldPool):
    module = "tests.support.dying_worker"
    entry_seconds = 0.5


class DyingTable(TableServer):
    pool_type = DyingPool


@asynccontextmanager
async def table_with(data: Path, workers: int = 1, **terms: object) -> AsyncIterator[TableServer]:
    async with DyingTable(replace(config(data, **terms), workers=workers)) as table:
        yield table


async def killed_workers(table: TableServer) -> None:
    pool = table.matches.pool
    for worker in list(pool._workers):
        with suppress(ProcessLookupError):
            os.kill(worker.process.pid, signal.SIGKILL)


@pytest.mark.match
@pytest.mark.parametrize("word", [DIES, SPINS])
async def test_too_costly_entry_is_refused_and_match_ends_clean(tmp_path, word):
    async with table_with(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        players = [Player(client) for client in (ann, bob)]
        await asyncio.gather(*(player.run(until=4) for player in players))
        await ann.send("post", ann.match_id, word)
        while (answer := await ann.receive()).name != "refused":
            await players[0].take(answer)
        assert answer.values[4] == Code.TOO_COSTLY and Code.TOO_COSTLY in UNDECIDABLE_CODES
        await asyncio.gather(*(player.run() for player in players))
        assert players[0].reader.faults == () and players[0].file == players[1].file
        assert audit(await exported(table, ann.match_id)).verdict is Verdict.CLEAN
        await close_all(ann, bob)


@pytest.mark.match
async def test_workers_killed_at_random_lose_no_entry(tmp_path):
    async with table_with(tmp_path, 2) as table:
        clients = await seated(table, 1, 2)
        playing = asyncio.create_task(finish(clients))
        await until(lambda: clients[0].match_id in table.matches.feeds)
        room = table.matches.feeds[clients[0].match_id]
        pool = table.matches.pool
        while not playing.done():
            stored = room.stored
            await killed_workers(table)
            # nothing is under way when the next ones are killed: no entry kills two workers
            await until(
                lambda stored=stored: playing.done() or (room.stored > stored and pool.idle),
                seconds=200,  # three programs start in each round, beside other tests
            )
        players = await playing
        assert players[0].reader.faults == () and pool.deaths > 1
        assert players[0].file == await exported(table, clients[0].match_id)
        await close_all(*clients)


@pytest.mark.match
async def test_match_goes_on_after_restart_with_workers(tmp_path):
    async with table_with(tmp_path) as table:
        clients = await seated(table, 1, 2)
        players = [Player(client) for client in clients]
        await asyncio.gather(*(player.run(until=6) for player in players))
        match_id = clients[0].match_id
        for client in clients:
            await client.close(polite=False)
    async with table_with(tmp_path) as table:
        await until(lambda: match_id in table.matches.feeds)
        room = table.matches.feeds[match_id]
        assert room.stored >= 4 and room.live.status.next_number == len(room.live.entries)
        assert table.matches.pool._matches[match_id].microseconds > 0
