"""What a drained table counts as a match that runs."""

import asyncio
import sqlite3

from table.manager.server import TableServer
from tests.support.tables import close_all, config, finish, seated, until


async def test_match_that_was_stopped_does_not_hold_up_a_drain(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        clients = await seated(table, 1, 2)
        assert table.manager.drain.begin() == 1
        # as after a fork: its seats are told so, and the match stays known
        (room,) = table.matches.feeds.values()
        table.matches.match_stopped(room)
        assert table.manager.drain.running == 0
        async with asyncio.timeout(10):
            await table.manager.drain.done.wait()
        await close_all(*clients)


async def test_match_runs_until_its_end_is_on_disk(tmp_path):
    async with TableServer(config(tmp_path, bounds={"retry_seconds": 0.01})) as table:
        journal, write = table.storage.journal, table.storage.journal.write
        clients = await seated(table, 1, 2)
        (room,) = table.matches.feeds.values()
        table.manager.drain.begin()

        def refuse(changes):
            if room.live.status.over:
                raise sqlite3.OperationalError("disk I/O error")
            return write(changes)

        journal.write = refuse
        played = asyncio.create_task(finish(clients))
        await until(lambda: room.live.status.over)
        assert table.manager.drain.running == 1
        journal.write = write
        await played
        await until(lambda: not table.manager.drain.running)
        await close_all(*clients)
