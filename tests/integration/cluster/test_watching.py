"""Spectators at a host that does not own the match see exactly the entries that the owner signed,
even if the owner fails.
"""

import asyncio

import pytest

from protocol.codes import Code
from protocol.match.log_reader import LogReader
from tests.integration.cluster.hosts import Engine, hosts
from tests.integration.cluster.test_takeover import back, begun, finished, home
from tests.support.tables import close_all, guest, until

pytestmark = pytest.mark.match


class Onlooker:
    """Spectator that checks everything as every program does."""

    def __init__(self, client):
        self.client, self.records, self.told = client, [], []
        self.reading = asyncio.create_task(self._read())

    async def _read(self):
        await self.client.send("replay", self.client.match_id, 0)
        reader = None
        while (told := await self.client.receive()) is not None:
            self.told.append(told.name)
            if told.name == "left":
                return
            if told.name == "entry":
                match_id, number, raw, head = told.values
                assert (match_id, number) == (self.client.match_id, len(self.records))
                self.records.append((raw, head))
                if reader is None:
                    reader = LogReader(raw, head)  # raises unless the table has signed the head
                else:
                    reader.feed(raw, head)
                assert not reader.faults or reader.over


async def watches(table, seed=80, match=None):
    client = await guest(table, seed, "Zoe")
    await client.send("spectate", "main")
    told = await client.expect("match")
    assert told[2] is None and match in (None, told[1])
    return Onlooker(client)


async def elsewhere(there):
    """Return the owner of the match at the main table, and a host that knows the match but does not
    own it.
    """
    owner = await home(there)
    return owner, next(each for each in there.tables.values() if each is not owner)


def knows(table):
    return until(lambda: table.manager.cluster.view.of_table("main") is not None)


async def test_spectator_at_other_host_sees_all_across_takeover(tmp_path):
    async with hosts(tmp_path, "a", "b", "c") as there:
        owner, other = await elsewhere(there)
        players = await begun(owner)
        match_id = players[0].client.match_id
        await knows(other)
        zoe = await watches(other, match=match_id)
        await until(lambda: len(zoe.records) >= 5)
        assert match_id not in other.matches.feeds and other.metrics.followed == 1
        await there.kill(owner.config.cluster.name)
        await until(lambda: any(match_id in each.matches.feeds for each in there.tables.values()))
        (heir,) = [each for each in there.tables.values() if match_id in each.matches.feeds]
        await back(heir, players)
        await finished(players, heir)
        async with asyncio.timeout(60):
            await zoe.reading
        assert zoe.records == players[0].records
        assert set(zoe.told) <= {"entry", "present", "left"}
        assert zoe.client.closed is None
        await until(lambda: not other.manager.cluster.watching.matches)
        await zoe.client.close()


async def test_the_newest_entry_is_seen_before_the_next_one_comes(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        owner, other = await elsewhere(there)
        players = await begun(owner)
        await knows(other)
        zoe = await watches(other)
        room = owner.matches.feeds[players[0].client.match_id]
        await until(lambda: zoe.records == [tuple(record) for record in room.records])
        zoe.reading.cancel()
        await close_all(zoe.client, *(player.client for player in players))


async def test_a_seat_does_not_watch_its_own_match(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        owner, other = await elsewhere(there)
        players = await begun(owner)
        await knows(other)
        own = await guest(other, 60, "Seat A", identity=players[0].client.identity)
        await own.send("spectate", "main")
        assert await own.expect("error") == [Code.ALREADY_SEATED]
        await close_all(own, *(player.client for player in players))


async def test_spectators_above_limit_are_sent_to_owner(tmp_path):
    async with hosts(tmp_path, "a", "b", bounds={"spectators": 1}) as there:
        owner, other = await elsewhere(there)
        players = await begun(owner)
        await knows(other)
        zoe = await watches(other)
        second = await guest(other, 81, "Yann")
        await second.send("spectate", "main")
        assert await second.expect("moved") == [f"127.0.0.1:{owner.link.port}", "main"]
        zoe.reading.cancel()
        await close_all(second, zoe.client, *(player.client for player in players))


class Mute(Engine):
    """Store that does not answer reads of matches."""

    async def next(self, subject, after):
        if subject.startswith("m."):
            await asyncio.sleep(60)
        return await super().next(subject, after)


async def test_unreadable_store_redirects_spectator_to_owner(tmp_path):
    async with hosts(tmp_path, "a") as there:
        (other,) = await there.begin("b", engine=Mute)
        (owner,) = [each for each in there.tables.values() if each is not other]
        players = await begun(owner)
        await knows(other)
        client = await guest(other, 80, "Zoe")
        await client.send("spectate", "main")
        async with asyncio.timeout(60):
            assert await client.expect("moved") == [f"127.0.0.1:{owner.link.port}", "main"]
        await close_all(client, *(player.client for player in players))
