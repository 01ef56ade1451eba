"""Hosts that run but cannot continue their matches: other hosts do."""

import asyncio
import logging
import socket
from dataclasses import replace

import pytest

from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity
from table.cluster.heartbeats import encode_drain
from table.cluster.membership import chosen
from table.signer.signer import Denied, OwnKey
from table.storage.interface import MatchOwnership
from table.storage.shared.backend import Unanswered
from table.storage.shared.match_notes import decode_note
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.postgres.engine import PostgresEngine
from tests.integration.cluster.hosts import PACE, Engine, hear_each_other, hosts
from tests.integration.cluster.test_takeover import back, begun, finished, home
from tests.support.tables import close_all, until

pytestmark = pytest.mark.match


class Guarded(Engine):
    """Engine of a store whose servers are watched. During a failure appends wait, and everything
    else goes on.
    """

    mute = False  # True: no request is answered

    def __init__(self, shared):
        super().__init__(shared)
        self.guard = asyncio.Event()
        self.guard.set()

    @property
    def safe(self):
        return self.guard.is_set()

    async def append(self, subject, after, data):
        await self.guard.wait()
        return await super().append(subject, after, data)

    async def announce(self, data):
        if self.mute:
            await asyncio.Event().wait()
        await super().announce(data)


def engine(table):
    return table.storage._engine._engine


def notes(there, match_id):
    return [decode_note(item.data) for item in there.shared.of(subject_of(match_id))]


async def test_host_with_unsafe_store_loses_matches_then_rejoins(
    tmp_path,
):
    async with hosts(tmp_path, "a", "b", "c", engine=Guarded) as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        others = [each for each in there.tables.values() if each is not table]
        engine(table).guard.clear()
        name = table.config.cluster.name
        await until(lambda: all(name not in each.manager.cluster.view.taking() for each in others))
        await until(lambda: any(match_id in each.matches.feeds for each in others))
        (heir,) = [each for each in others if match_id in each.matches.feeds]
        for player in players:
            while (told := await player.client.receive()).name == "entry":
                await player.take(told)
            assert (told.name, told.values) == ("moved", [f"127.0.0.1:{heir.link.port}", match_id])
        await back(heir, players)
        await finished(players, heir)
        assert not table.metrics.claims
        engine(table).guard.set()
        await until(lambda: all(name in each.manager.cluster.view.taking() for each in others))
        assert match_id not in table.matches.feeds


async def test_hosts_without_working_append_keep_their_matches(tmp_path):
    async with hosts(tmp_path, "a", "b", engine=Guarded) as there:
        table = await home(there)
        players = await begun(table)
        for each in there.tables.values():
            engine(each).guard.clear()
        await hear_each_other(*there.tables.values(), seconds=PACE.unfit + 2 * PACE.silent)
        assert all(len(each.manager.cluster.view.others) == 1 for each in there.tables.values())
        assert players[0].client.match_id in table.matches.feeds
        for each in there.tables.values():
            engine(each).guard.set()
        await finished(players, table)


async def test_host_without_signer_claims_nothing(tmp_path):
    class Away(OwnKey):
        away = True

    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        cluster = table.manager.cluster
        assert cluster.beat().takes
        table.matches.identity = Away(Identity(b"k" * 32))
        (other,) = [each for each in there.tables.values() if each is not table]
        await until(
            lambda: other.manager.cluster.view.home("main") == other.manager.cluster.view.me
        )
        assert not cluster.beat().takes


async def test_match_stuck_at_one_host_is_handed_to_another(tmp_path):
    async with hosts(tmp_path, "a", "b", "c") as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        name = table.config.cluster.name
        heir = there.tables[chosen(match_id, [each for each in there.tables if each != name])]

        class Stuck(heir.matches.match_type):
            @classmethod
            def claimed_parts(cls, *given):
                raise MemoryError

        heir.matches.match_type = Stuck
        await there.kill(name)
        (other,) = [each for each in there.tables.values() if each is not heir]
        await until(lambda: match_id in other.matches.feeds)
        await back(other, players)
        await finished(players, other)


async def test_failing_claims_are_repeated_less_and_less_often(tmp_path):
    async with hosts(tmp_path, "a", "b", pace=replace(PACE, scan=0.1)) as there:
        table = await home(there)
        players = await begun(table)
        match_id = players[0].client.match_id
        shared = there.shared
        place = [
            place for place, (where, _) in enumerate(shared.items) if where == subject_of(match_id)
        ][1]
        shared.items[place] = (shared.items[place][0], b"\0")
        since = asyncio.get_running_loop().time()
        await there.kill(table.config.cluster.name)
        (left,) = there.tables.values()
        await until(lambda: left.metrics.claims["lost"] > 1)
        waited = left.matches.left.until(match_id) - since
        assert waited >= PACE.silent * (2 ** left.metrics.claims["lost"] - 1)
        await close_all(*(player.client for player in players))


async def test_failed_claim_ignores_earlier_answers(tmp_path):
    async with hosts(tmp_path, "a") as there:
        (table,) = there.tables.values()
        claims, own = (
            table.manager.cluster.claims,
            MatchOwnership(bytes(32), 1, "a", table.matches.rules),
        )
        table.matches.left.to_others(own.match_id)
        claims._claim(own.match_id, own)
        assert own.match_id not in table.matches.claiming
        await until(
            lambda: table.matches.left.until(own.match_id) <= asyncio.get_running_loop().time()
        )
        claims._claim(own.match_id, own)
        assert own.match_id in table.matches.claiming


async def test_old_answers_far_apart_do_not_stop_host(tmp_path):
    async with hosts(tmp_path, "a", pace=replace(PACE, scan=0.1)) as there:
        (table,) = there.tables.values()
        players = await begun(table)
        match_id = players[0].client.match_id
        claims, old = (
            table.manager.cluster.claims,
            MatchOwnership(match_id, 0, "b", table.matches.rules),
        )
        assert not claims.missed(match_id, old)
        # the next scan confirms that the match is ours
        await until(lambda: not claims._doubted_since)
        assert not claims.missed(match_id, old)
        await finished(players, table)


async def test_claims_refused_by_signer_become_rarer(tmp_path):
    async with hosts(tmp_path, "a", pace=replace(PACE, scan=0.1)) as there:
        table = there.tables["a"]
        players = await begun(table)
        match_id = players[0].client.match_id
        pauses = []
        for _ in range(3):
            await until(lambda: match_id in table.matches.feeds)
            table.matches.feeds[match_id]._on_denied(Denied.BEHIND)
            pauses.append(table.matches.left.until(match_id) - asyncio.get_running_loop().time())
        assert [round(pause / PACE.silent) for pause in pauses] == [1, 2, 4]
        await close_all(*(player.client for player in players))


async def test_host_stops_although_its_store_is_silent(tmp_path):
    async with hosts(tmp_path, "a", "b", engine=Guarded) as there:
        table = there.tables.pop("a")
        engine(table).mute = True
        async with asyncio.timeout(4):
            await table.stop()


async def test_matches_without_successor_are_counted(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    rows = {name: row for name, row in BUILT_IN.specs.items() if name != "connect-four"}
    async with hosts(tmp_path, "a") as there:
        (table,) = there.tables.values()
        players = await begun(table)
        await there.begin("b", games=Games(rows))
        await until(lambda: len(table.manager.cluster.view.taking()) == 2)
        await there.tables.pop("a").stop()
        assert "0 of 1 matches are left to other hosts" in caplog.text
        assert "1 matches wait in the store" in caplog.text
        await close_all(*(player.client for player in players))


async def test_restarted_host_ignores_messages_for_its_predecessor(tmp_path):
    async with hosts(tmp_path, "a") as there:
        cluster = there.tables["a"].manager.cluster
        cluster._heard(encode_drain("a", b"87654321"))
        assert not cluster.drained.is_set()
        cluster._heard(encode_drain("a", cluster.beat().run))
        assert cluster.drained.is_set()


async def test_silent_database_is_waited_for_once():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/d"
        found = PostgresEngine(address, "h", answer_seconds=1.0)
        begins = asyncio.get_running_loop().time()
        told = await asyncio.gather(
            *(found.last("m.0.00") for _ in range(10)), return_exceptions=True
        )
    assert [type(each) for each in told] == [Unanswered] * 10
    assert asyncio.get_running_loop().time() - begins < 5
