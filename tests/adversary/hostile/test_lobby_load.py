"""A flood of talk and unread pipes in the lobby does not affect a match beside it."""

import asyncio

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.limits import MAX_PIPE_DATA, PIPE_OVERHEAD, PIPE_WINDOW
from protocol.messages.lobby import MATCH, TRADE
from table.manager.server import TableServer
from tests.support.meeting import relays, seen
from tests.support.tables import close_all, config, guest, until
from tests.support.wire_client import play_match

WHOLE = PIPE_WINDOW // (MAX_PIPE_DATA + PIPE_OVERHEAD)


@pytest.mark.match
async def test_match_beside_flood_of_talk_and_pipes_is_unaffected(tmp_path):
    async with asyncio.timeout(120), TableServer(config(tmp_path)) as table:
        crowd = [
            await guest(table, 20 + number, f"Crowd {chr(65 + number)}") for number in range(4)
        ]
        await seen(*crowd)
        ann, bob = crowd[:2]
        for purpose in (MATCH, TRADE):
            await ann.send("open", bob.identity.public, purpose)
            await bob.send("open", ann.identity.public, purpose)
            for _ in range(WHOLE):  # both windows are full, and neither side ever reads
                await ann.send("send", bob.identity.public, purpose, bytes(MAX_PIPE_DATA))
        for number in range(200):
            await crowd[number % 4].send("talk", f"remark {number}")
        players = await play_match(table.link)
        assert audit(players[0].file).verdict is Verdict.CLEAN
        bound = 2 * PIPE_WINDOW + table.bounds.talk_queued + PIPE_WINDOW
        assert all(connection.queued <= bound for connection in table.connections)
        await close_all(*crowd)
        await until(
            lambda: not table.manager.chat.pipes._pipes and not table.manager.chat.pipes._asked
        )


@pytest.mark.slow
async def test_restarted_table_has_no_pipes_and_no_people(tmp_path):
    async with asyncio.timeout(60):
        async with TableServer(config(tmp_path)) as table:
            ann, bob = await relays(table.link, 1, 2)
            async with await guest(table, 3, "Cleo") as cleo:
                await seen(cleo)
        for relay in (ann, bob):
            await relay.gone
            assert not relay.pipes._standing
        async with TableServer(config(tmp_path)) as table:
            assert not len(table.manager.chat.present)
            assert not len(table.manager.chat.pipes)
            ann, bob = await relays(table.link, 1, 2)
            ann.close()
            bob.close()
