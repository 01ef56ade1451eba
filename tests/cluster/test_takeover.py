"""Hosts die, and others go on with their matches."""

import asyncio

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from tests.cluster.hosts import PACE, hosts
from tests.support.tables import close_all, exported, guest, seated, until
from tests.support.wire_client import Player

pytestmark = pytest.mark.match


async def back(table, players):
    """Players whose host is gone, at another one."""
    for number, player in enumerate(players):
        await player.client.close()
        client = await guest(table, 50 + number, player.client.name, identity=player.client.identity)
        client.rng = player.client.rng
        await client.send("resume", player.client.match_id)
        await client.expect("match")
        player.client = client


async def begun(table, entries=5):
    players = [Player(client) for client in await seated(table, 1, 2)]
    await asyncio.gather(*(player.run(until=entries) for player in players))
    return players


async def finished(players, table):
    async with asyncio.timeout(20):
        await asyncio.gather(*(player.run() for player in players))
    assert players[0].file == players[1].file == await exported(table, players[0].client.match_id)
    assert audit(players[0].file).verdict is Verdict.CLEAN
    await close_all(*(player.client for player in players))


async def home(there, table="main"):
    """The host at which a table is, for all hosts."""
    views = [each.reception.cluster.view for each in there.tables.values()]
    await until(lambda: all(len(view.taking()) == len(there.tables) for view in views))
    (name,) = {view.home(table).name for view in views}
    return there.tables[name]


async def test_a_match_goes_on_at_another_host_when_its_own_dies(tmp_path):
    async with hosts(tmp_path, "a", "b", "c") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        await there.kill(table.config.cluster.name)
        await until(lambda: any(match_id in each.matches.feeds for each in there.tables.values()))
        (heir,) = [each for each in there.tables.values() if match_id in each.matches.feeds]
        assert heir.metrics.claims == {"claimed": 1}
        await back(heir, players)
        await finished(players, heir)


async def test_a_host_that_begins_takes_nothing_from_those_that_are_there(tmp_path):
    async with hosts(tmp_path, "a") as there:
        (first,) = there.tables.values()
        players = await begun(first)
        others = await there.begin("b", "c")
        await asyncio.sleep(3 * PACE.scan / 2)
        assert not any(each.metrics.claims for each in others)
        await finished(players, first)


async def test_a_host_goes_on_with_what_was_its_own(tmp_path):
    async with hosts(tmp_path, "a") as there:
        players = await begun(there.tables["a"])
        await there.kill("a")
        (again,) = await there.begin("a")
        await until(lambda: again.matches.feeds)
        await back(again, players)
        await finished(players, again)


async def test_two_hosts_of_one_name_are_refused(tmp_path):
    async with hosts(tmp_path, "a") as there:
        with pytest.raises(LocalError, match="is called a"):
            await there.table("a").__aenter__()


async def test_a_host_with_another_key_is_refused(tmp_path):
    async with hosts(tmp_path, "a") as there:
        there.key.write_bytes(b"o" * 32)
        with pytest.raises(LocalError, match="another table's"):
            await there.table("b").__aenter__()
