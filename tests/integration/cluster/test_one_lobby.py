"""One lobby over several hosts."""

import asyncio

import pytest

from conformance.table.environment import wire_terms
from tests.integration.cluster.hosts import hosts
from tests.support.tables import CLOCK, close_all, guest, until

pytestmark = pytest.mark.match
TERMS = wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)


async def test_created_table_is_listed_everywhere_and_at_one_host(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        one, two = there.tables.values()
        await until(
            lambda: (
                len(one.manager.cluster.view.taking())
                == len(two.manager.cluster.view.taking())
                == 2
            )
        )
        makers = [await guest(one, 1, "Ann"), await guest(two, 2, "Bob")]
        for client in makers:
            await client.send("create", TERMS)
        created = {(await client.expect("created"))[0] for client in makers}
        assert created == {"table-1", "table-2"}
        await until(
            lambda: all({"main", *created} == set(each.lobby.tables) for each in (one, two))
        )
        view = one.manager.cluster.view
        home = there.tables[view.home("table-1").name]
        away = two if home is one else one
        guests = [await guest(away, 3, "Cleo"), await guest(home, 4, "Dan")]
        await guests[0].send("join", "table-1")
        assert await guests[0].expect("moved") == [f"127.0.0.1:{home.link.port}", "table-1"]
        await guests[1].join("table-1")
        await until(lambda: away.manager.cluster.view.others[0].rows)
        await guests[0].send("list")
        rows = {row[0]: row for row in (await guests[0].expect("tables"))[0]}
        assert set(rows) == {"main", *created}
        assert [person[0] for person in rows["table-1"][2]] == ["Dan"]
        await guests[0].send("find", "dan", [], 0, 50)
        assert (await guests[0].expect("found"))[4] == [rows["table-1"]]
        await close_all(*makers, *guests)


async def test_lobby_guest_of_stopping_host_learns_new_address(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        one, two = there.tables.values()
        await until(
            lambda: (
                len(one.manager.cluster.view.taking())
                == len(two.manager.cluster.view.taking())
                == 2
            )
        )
        home = there.tables.pop(one.manager.cluster.view.home("main").name)
        (left,) = there.tables.values()
        client = await guest(home, 1, "Ann")
        await client.join()
        stopping = asyncio.create_task(home.stop())
        while (told := await client.receive()).name == "waiting":
            pass
        assert (told.name, told.values) == ("moved", [f"127.0.0.1:{left.link.port}", "main"])
        await stopping
        await client.close()


async def test_table_stays_while_creator_is_at_another_host(tmp_path):
    async with hosts(tmp_path, "a", "b", bounds={"return_seconds": 0.5}) as there:
        one, two = there.tables.values()
        client = await guest(one, 1, "Ann")
        await client.send("create", TERMS)
        await client.expect("created")
        swept = one.manager.time() + 3 * one.bounds.return_seconds
        await until(lambda: all(each.manager.cluster._sweep_at > swept for each in (one, two)))
        await until(lambda: "table-1" in two.lobby.tables and "table-1" in one.lobby.tables)
        await client.close()
        await until(lambda: "table-1" not in two.lobby.tables and "table-1" not in one.lobby.tables)
