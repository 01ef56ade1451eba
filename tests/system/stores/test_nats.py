"""A store of three real NATS servers: refused requests, failures that it survives, and competing
hosts.
"""

import asyncio
import gc
import signal
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

import pytest

from protocol.errors import LocalError
from table.config import default_terms
from table.storage.interface import NewTable, TableRemoved
from table.storage.shared.backend import Unanswered
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.jetstream import JetStream
from table.storage.shared.nats.streams import (
    MATCHES,
    STREAMS,
    all_streams,
    configuration,
)
from table.storage.shared.pruning import PruneLimits
from table.storage.shared.store import SharedStore
from tests.support.errors import raises_text
from tests.support.nats_cluster import make_streams, store_cluster
from tests.support.table_stores.operator import done, operator
from tests.support.table_stores.owners import KEY, Owner, claimed, opened, submitted
from tests.system.stores.duels import duel

pytestmark = pytest.mark.process

SECONDS = 120


def match_id(place):
    return bytes([place]) * 32


async def refused(cluster, shards=None):
    engine = NatsEngine(replace(cluster.address(), shards=shards), "host")
    with pytest.raises(LocalError) as caught:
        await engine.open()
    return caught.value.phrase.key


async def test_host_may_append_read_and_purge_matches_alone(tmp_path):
    """Uses the accounts of docs/cluster.md."""
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path) as cluster:
        line = JetStream(cluster.address())
        await line.connect()
        name = MATCHES[1]
        questions = [
            *(f"STREAM.{what}.{name}" for what in ("DELETE", "MSG.DELETE", "UPDATE")),
            *(f"STREAM.PURGE.{each}" for each in set(STREAMS) - {*MATCHES, "fairdeal-lobby"}),
        ]
        answers = await asyncio.gather(
            *(line.api(each) for each in questions), return_exceptions=True
        )
        assert [type(answer) for answer in answers] == [Unanswered] * 5
        for each in MATCHES:
            assert (await line.api(f"STREAM.PURGE.{each}", filter="m.0.none"))["purged"] == 0
        await line.close()


async def test_a_store_that_answers_before_its_disk_is_refused(tmp_path):
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path, sync="2m") as cluster:
        assert await refused(cluster) == "wrong.store.sync"


@pytest.mark.parametrize(
    ("shards", "held"), [(2, {0: 1, 1: 3}), (16, {0: 1, 1: 1, 9: 1, 15: 1, 2: 0})]
)
async def test_store_has_the_shards_that_it_was_made_with(tmp_path, shards, held):
    """A host need not say how many, and is refused if it says another number. `held`: how many
    matches are in each stream.
    """
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path, shards=shards) as cluster,
        operator(cluster) as ask,
    ):
        names = set((await ask("STREAM.NAMES"))["streams"])
        assert names == set(all_streams(shards)) and len(names) == shards + 3
        assert await refused(cluster, shards=4) == "wrong.store.shards"
        assert await refused(cluster, shards=8) == "wrong.store.shards"
        async with opened(cluster.address(), "a", tmp_path) as store:
            for place in (1, 9, 64, 255):
                assert await Owner(store, match_id(place), "a").append()
        for number, count in held.items():
            state = (await ask(f"STREAM.INFO.fairdeal-{number}"))["state"]
            assert state.get("num_subjects", 0) == count
        async with opened(replace(cluster.address(), shards=shards), "b", tmp_path) as store:
            heir = Owner(store, match_id(255), "b")
            assert await heir.take() and len(heir.told) == 1
            looking = store.prune(PruneLimits())
            await looking.survey()
            assert looking.left.subjects == 4


async def test_running_store_with_unsafe_streams_is_refused(tmp_path, caplog):
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path) as cluster,
        operator(cluster) as ask,
    ):
        await done(ask, f"STREAM.DELETE.{MATCHES[3]}")
        assert await refused(cluster) == "wrong.store.missing"  # a host may not create the stream
        await done(ask, f"STREAM.CREATE.{MATCHES[3]}", **configuration(MATCHES[3]))
        for changed, key in (({"num_replicas": 1}, "replicas"), ({"storage": "memory"}, "setting")):
            await done(ask, f"STREAM.DELETE.{MATCHES[3]}")
            await done(ask, f"STREAM.CREATE.{MATCHES[3]}", **configuration(MATCHES[3]) | changed)
            assert await refused(cluster) == f"wrong.store.{key}"
        await done(ask, f"STREAM.DELETE.{MATCHES[3]}")
        await make_streams(cluster)
        async with opened(cluster.address(), "a", tmp_path, check_seconds=0.05) as store:
            owner = Owner(store, match_id(1), "a")
            assert await owner.append()
            await done(
                ask,
                f"STREAM.UPDATE.{MATCHES[3]}",
                **configuration(MATCHES[3]) | {"max_msgs": 10, "discard": "old"},
            )
            while "no match goes on" not in caplog.text:
                await asyncio.sleep(0.02)
            waits = asyncio.create_task(owner.append())
            await done(ask, f"STREAM.UPDATE.{MATCHES[3]}", **configuration(MATCHES[3]))
            assert await waits
            assert "safe again" in caplog.text or caplog.text.count("no match goes on") >= 1
        await _lobby(cluster, tmp_path)
        await _removed(cluster, tmp_path, ask)
        await _shortened(cluster, tmp_path, ask)


async def _lobby(cluster, folder):
    """Test that all hosts share tables, numbers are given once, and a store belongs to one
    table.
    """
    async with (
        opened(cluster.address(), "a", folder) as one,
        opened(cluster.address(), "b", folder) as two,
    ):
        table = NewTable(1, default_terms(), b"c" * 32)
        assert await submitted(one, table)
        assert not await submitted(two, table)
        assert await submitted(two, table._replace(number=2))
        assert await submitted(one, TableRemoved(1))
    three = SharedStore(NatsEngine(cluster.address(), "c"), "c", KEY, folder)
    kept = await three.start()
    three.close()
    await three.closed()
    foreign = SharedStore(NatsEngine(cluster.address(), "d"), "d", b"d" * 32, folder)
    with raises_text(LocalError, match="belongs to another table"):
        await foreign.start()
    assert ([each.number for each in kept.tables], kept.last_number) == ([2], 2)


async def _removed(cluster, folder, ask):
    """Test that a host stops a match whose acknowledged entries have disappeared from the store,
    and resumes nothing.
    """
    async with opened(cluster.address(), "a", folder) as store:
        owner = Owner(store, match_id(9), "a")
        assert await owner.append() and await owner.append()
        subject = subject_of(match_id(9))
        await done(ask, f"STREAM.PURGE.{MATCHES[1]}", filter=subject)
        assert not await owner.append()
        assert await claimed(store, match_id(9)) is None


async def _shortened(cluster, folder, ask):
    """Test a store without its newest message. A host that claims the match gets the rest, and
    stores entries that players return.
    """
    subject, stream = subject_of(match_id(10)), MATCHES[2]
    engine = NatsEngine(cluster.address(), "x")
    await engine.open()
    async with (
        opened(cluster.address(), "a", folder) as one,
        opened(cluster.address(), "b", folder) as two,
    ):
        owner = Owner(one, match_id(10), "a")
        assert await owner.append()
        last = owner.next()
        assert await owner.append()
        first = await engine.next(subject, 0)
        await done(ask, f"STREAM.DELETE.{stream}")
        await done(ask, f"STREAM.CREATE.{stream}", **configuration(stream))
        assert first is not None
        while True:
            with suppress(Unanswered):
                assert await engine.append(subject, 0, first.data) == first.number
                break
        assert not await owner.append()
        found = await claimed(two, match_id(10))
        assert found is not None and [record.entry for record in found.records] == owner.told[:1]
        assert await submitted(two, last._replace(claim=found.claim, begin=None))
        again = await claimed(one, match_id(10))
        assert again is not None and [record.entry for record in again.records] == owner.told
    await engine.close()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # nats-py leaves a connection to a stopped server open
async def test_servers_are_killed_and_stopped_while_matches_go_on(tmp_path):
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path) as cluster,
        AsyncExitStack() as stack,
    ):
        store = await stack.enter_async_context(opened(cluster.address(), "a", tmp_path))
        rival = await stack.enter_async_context(opened(cluster.address(), "b", tmp_path))
        owners = [Owner(store, match_id(place), "a") for place in range(8)]
        going = True

        async def play(owner):
            while going:
                assert await owner.append()
                await asyncio.sleep(0.03)

        async with asyncio.TaskGroup() as playing:  # the first host that cannot go on ends the test
            for owner in owners:
                playing.create_task(play(owner))
            await _trouble(cluster, owners)
            going = False
        for owner in owners:
            heir = Owner(rival, owner.match_id, "b")
            assert await heir.take()
            assert heir.told == owner.told
            assert await heir.append() and not await owner.append()
        await duel(store, rival, rounds=20)
    gc.collect()  # so that an ignored warning does not appear in another test


async def _trouble(cluster, owners):
    """Kill and restart a leader, then stop another server for a while."""
    async with operator(cluster) as ask:
        leader = int((await ask(f"STREAM.INFO.{MATCHES[0]}"))["cluster"]["leader"][1:])
    await _until(owners, 10)
    cluster.signal(leader, signal.SIGKILL)
    await cluster.stop([leader])
    await _until(owners, 10)
    await cluster.start(leader)
    stopped = (leader + 1) % 3
    await _until(owners, 20)
    cluster.signal(stopped, signal.SIGSTOP)
    await _until(owners, 10)
    cluster.signal(stopped, signal.SIGCONT)


async def _until(owners, more):
    """Wait until every match has `more` further entries."""
    goals = [len(owner.told) + more for owner in owners]
    while any(len(owner.told) < goal for owner, goal in zip(owners, goals, strict=True)):
        await asyncio.sleep(0.02)
