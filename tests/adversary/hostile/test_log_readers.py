"""Readers who ask for logs again and again: they wait, and nobody else does."""

import asyncio

import pytest

from protocol.codes import Code
from table.manager.server import TableServer
from tests.adversary.hostile.test_tables_of_strangers import elsewhere
from tests.support.tables import close_all, config, finish, guest, seated, surviving, until

pytestmark = pytest.mark.slow

LITTLE = (2_000, 20_000)  # bytes of logs: about four entries, and forty a second


async def test_watchers_who_replay_wait_and_nobody_else_does(tmp_path):
    async with surviving(tmp_path, bounds={"log_bytes_per_address": LITTLE}) as table:
        playing = await seated(table, 1, 2)
        room = table.lobby.tables["main"].room
        eve = await elsewhere(table, 300)
        await eve.send("spectate", None)
        await eve.expect("match")
        for _ in range(50):
            await eve.send("replay", playing[0].match_id, 0)
        await until(lambda: not room._owner.reading.may_read(eve_address(room)))
        players = await finish(playing)
        assert players[0].file == players[1].file
        ann = await guest(table, 1, "Seat A")  # another address: its log comes at once
        await ann.send("resume", playing[0].match_id, None, None)
        await ann.expect("match")
        await ann.send("replay", playing[0].match_id, 0)
        while (await ann.receive()).name != "left":
            pass
        await close_all(eve, ann, *playing)


def eve_address(room) -> str:
    return next(party.address for party, seat in room._parties.items() if seat is None)


async def test_seat_that_comes_back_gets_its_log_at_once(tmp_path):
    bounds = {"log_bytes_per_address": (1, 1)}
    async with TableServer(config(tmp_path, bounds=bounds)) as table:
        playing = await seated(table, 1, 2)
        again = await guest(table, 1, "Seat A")
        async with asyncio.timeout(5):
            await again.send("join", None)
            await again.expect("match")
            await again.send("replay", playing[0].match_id, 0)
            await again.expect("entry")
            watcher = await guest(table, 3, "Ann")
            await watcher.send("spectate", None)
            await watcher.expect("match")
            await watcher.send("replay", playing[0].match_id, 0)
            await watcher.expect("entry")
        await close_all(again, watcher, *playing)


async def test_address_without_bytes_left_fetches_no_finished_match(tmp_path):
    async with surviving(tmp_path, bounds={"log_bytes_per_address": (1, 1)}) as table:
        playing = await seated(table, 1, 2)
        await finish(playing)
        match_id = playing[0].match_id
        await close_all(*playing)
        await until(lambda: match_id not in table.matches.feeds)
        codes = []
        for _ in range(2):
            ann = await guest(table, 1, "Seat A")
            await ann.send("resume", match_id, None, None)
            message = await ann.receive()
            codes.append(message.values[0] if message.name == "error" else message.name)
            await ann.close()
        assert codes == ["match", Code.TOO_MANY]
