"""One address cannot take the share of a table's resources that belongs to others."""

from contextlib import AsyncExitStack

import pytest

from protocol.codes import Code
from protocol.limits import MAX_SPECTATORS_PER_ADDRESS
from table.manager.server import TableServer
from tests.adversary.hostile.test_tables_of_strangers import elsewhere
from tests.support.meeting import seen
from tests.support.tables import close_all, config, finish, guest, seated, surviving, until

pytestmark = pytest.mark.slow

FEW = 3


async def test_spectators_of_one_address_leave_places_to_others(tmp_path):
    async with surviving(tmp_path) as table, AsyncExitStack() as stack:
        playing = await seated(table, 1, 2)
        taken = []
        for number in range(MAX_SPECTATORS_PER_ADDRESS):
            taken.append(await stack.enter_async_context(await elsewhere(table, 100 + number)))
            await taken[-1].send("spectate", None)
            await taken[-1].expect("match")
        late = await stack.enter_async_context(await elsewhere(table, 300))
        await late.send("spectate", None)
        await late.expect_error(Code.TOO_MANY)
        ann = await stack.enter_async_context(await guest(table, 3, "Ann"))
        await ann.send("spectate", None)
        await ann.expect("match")
        room = table.lobby.tables["main"].room
        watching = len(room._parties)
        await taken[0].close()
        await until(lambda: len(room._parties) < watching)
        await late.send("spectate", None)
        await late.expect("match")
        await finish(playing)
        await close_all(*playing)


async def test_seats_do_not_count_as_spectator_places(tmp_path):
    async with TableServer(config(tmp_path, bounds={"spectators_per_address": 1})) as table:
        playing = await seated(table, 1, 2)
        ann = await guest(table, 3, "Ann")
        await ann.send("spectate", None)
        await ann.expect("match")
        await close_all(ann, *playing)


async def test_calls_of_one_address_leave_room_for_others(tmp_path):
    slow = {
        "people_seconds": 0.01,
        "calls": (FEW, 0.001),
        "called": (2 * FEW, 0.001),
    }
    async with TableServer(config(tmp_path, bounds=slow)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        crowd = [await elsewhere(table, 10 + number, f"Eve {number}") for number in range(FEW)]
        await seen(ann, bob, *crowd)
        answers = []
        for eve in crowd:
            for _ in range(FEW):
                await eve.send("call", ann.identity.public, "main")
                await eve.send("list")
                while (message := await eve.receive()).name not in ("tables", "error"):
                    pass
                answers.append(message.name)
                if message.name == "error":
                    await eve.expect("tables")
        assert answers.count("tables") == FEW
        await bob.send("call", ann.identity.public, "main")
        await bob.send("list")
        await bob.expect("tables")
        while (message := await ann.receive()).values[0] != bob.identity.public:
            assert message.name in ("called", "people")
        await close_all(ann, bob, *crowd)
