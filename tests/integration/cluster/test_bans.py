"""Bans of one host hold at all hosts of a cluster, and take nobody's seat."""

import pytest

from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from table.lobby.bans import FOR_GOOD, Target, parse_target
from tests.integration.cluster.hosts import hosts
from tests.integration.cluster.test_takeover import back, begun, finished, home
from tests.support.table_stores.memory import MemoryEngine
from tests.support.tables import close_all, guest, until

pytestmark = pytest.mark.match


class SmallMessages(MemoryEngine):
    """A store whose messages have no room for many bans."""

    most = 4096


def bans(table):
    return table.manager.moderation.bans


async def turned_away(table, seed=9):
    """Tell if a newcomer of this key is turned away."""
    client = await guest(table, seed, "Eve")
    await client.send("list")
    message = await client.receive()
    await client.close()
    return message.name == "error" and message.values == [str(Code.BANNED)]


async def test_ban_holds_at_all_hosts_and_is_lifted_at_any(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        one, two = there.tables.values()
        eve = await guest(two, 9, "Eve")
        key = parse_target(fingerprint(eve.identity.public))
        one.manager.moderation.ban(key, FOR_GOOD)
        await eve.expect("error")
        await eve.close()
        assert await turned_away(one) and await turned_away(two)
        assert two.manager.moderation.unban(key)
        await until(lambda: bans(one).digest == bans(two).digest)
        assert not await turned_away(one) and not await turned_away(two)


async def test_host_that_was_away_hears_of_bans_and_keeps_them(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        await there.kill("b")
        there.tables["a"].manager.moderation.ban(Target("192.0.2.7"), FOR_GOOD)
        (b,) = await there.begin("b")
        await until(lambda: bans(b).covers(b"", "192.0.2.7", b.manager.moderation.now))
        await there.kill("a")
        await there.kill("b")
        (b,) = await there.begin("b")
        assert bans(b).covers(b"", "192.0.2.7", b.manager.moderation.now)


async def test_many_bans_arrive_in_several_heartbeats(tmp_path):
    async with hosts(tmp_path, "a", "b", engine=SmallMessages) as there:
        one, two = there.tables.values()
        for number in range(200):
            one.manager.moderation.bans.decide(
                Target(f"192.0.2.{number}"), FOR_GOOD, one.manager.moderation.now
            )
        await until(lambda: bans(one).digest == bans(two).digest)


async def test_banned_player_finishes_match_at_the_heir_of_a_dead_host(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        for player in players:
            key = parse_target(fingerprint(player.client.identity.public))
            assert table.manager.moderation.ban(key, FOR_GOOD) == 0
        (other,) = [each for each in there.tables.values() if each is not table]
        await until(lambda: bans(table).digest == bans(other).digest)
        await there.kill(table.config.cluster.name)
        await until(lambda: match_id in other.matches.feeds)
        await back(other, players)
        await finished(players, other)


async def test_match_at_another_host_is_ended_there_and_not_here(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        (other,) = [each for each in there.tables.values() if each is not table]
        await until(lambda: other.manager.cluster.view.of_table("main") is not None)
        with pytest.raises(LocalError, match=table.config.cluster.name):
            other.manager.moderation.remove("main", end=True)
        await table.manager.moderation.remove("main", end=True).over.wait()
        await finished(players, table)
        await close_all(*(player.client for player in players))
