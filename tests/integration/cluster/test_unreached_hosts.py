"""A host whose players do not hear it gives their matches up to a host that they reach."""

import asyncio

import pytest

from protocol.limits import HOST_STRAY_SECONDS
from tests.integration.cluster.hosts import hosts
from tests.integration.cluster.test_lost_claims import come
from tests.integration.cluster.test_takeover import begun, finished, home
from tests.support.tables import close_all, guest, until

pytestmark = pytest.mark.match


async def sent_back(table, player, number):
    """Ask a host for a match of another one, and return the name of its answer."""
    async with await guest(
        table, number, player.client.name, identity=player.client.identity
    ) as it:
        await it.send("resume", player.client.match_id, player.holds, None)
        return (await it.receive()).name


async def stray(table, players, number):
    """Ask for as long as it takes until the host is believed to be out of reach."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    last = began
    # an attempt may take long on a busy machine: the last one must have begun late enough
    while last - began < HOST_STRAY_SECONDS + 0.5:
        last = loop.time()
        for place, player in enumerate(players):
            if await sent_back(table, player, number + place) == "match":
                return
        await asyncio.sleep(0.3)


async def test_unreachable_host_gives_its_match_to_reachable_one(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        (other,) = [each for each in there.tables.values() if each is not table]
        players = await begun(table)
        match_id = players[0].client.match_id
        await close_all(*(player.client for player in players))
        await stray(other, players, 40)
        await until(lambda: match_id in other.matches.feeds)
        assert match_id not in table.matches.feeds and table.metrics.released == 1
        assert table.matches.left.until(match_id) > asyncio.get_running_loop().time() + 10
        for number, player in enumerate(players):
            await come(other, player, 60 + number)
        await finished(players, other)


async def test_seat_that_is_connected_keeps_the_match_at_its_host(tmp_path):
    """Crossed with an opponent who says that it cannot reach the host."""
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        (other,) = [each for each in there.tables.values() if each is not table]
        ann, bob = await begun(table)
        match_id = ann.client.match_id
        await ann.client.close()
        await stray(other, [ann], 40)
        assert other.manager.cluster.strays.tell(asyncio.get_running_loop().time())
        assert match_id in table.matches.feeds and not table.metrics.released
        await come(table, ann, 60)
        await finished((ann, bob), table)


async def test_stranger_cannot_report_a_match(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        (other,) = [each for each in there.tables.values() if each is not table]
        players = await begun(table)
        cluster = other.manager.cluster
        for _ in range(2):
            cluster.stray(players[0].client.match_id, b"s" * 32)
        assert not cluster.strays._sent
        await finished(players, table)
