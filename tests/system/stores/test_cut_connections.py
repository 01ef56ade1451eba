"""Connections that pass nothing in one direction, a server that dies silently, and one with a full
disk. Acknowledgements are true, and nobody waits for long.
"""

import asyncio
import signal
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from table.storage.shared.match_subjects import subject_of
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.store_address import parse_address
from table.storage.shared.postgres.engine import PostgresEngine
from tests.support.between import between
from tests.support.nats_cluster import store_cluster
from tests.support.postgres_cluster import postgres_cluster
from tests.support.table_stores.operator import led, operator
from tests.support.table_stores.owners import Owner, hosted
from tests.support.tables import until

pytestmark = pytest.mark.process

SECONDS = 120


def match_id(place):
    return bytes([place]) * 32


async def not_told(middles, ways, owner):
    """Return the result for a host that appends while nothing passes."""
    for middle, way in zip(middles, ways, strict=True):
        middle.cut(way)
    saying = asyncio.create_task(owner.append())
    while not any(middle.seen for middle in middles):
        await asyncio.sleep(0.01)
    return saying


async def notes(engine, owner):
    """Return the stored entries of a match."""
    found, subject = [], subject_of(owner.match_id)
    while item := await engine.next(subject, found[-1].number if found else 0):
        found.append(item)
    return found


async def tried(near, far, middles, folder):
    """Test a connection through the proxies and a direct one."""
    async with hosted(near, "near", folder) as a, hosted(far, "far", folder) as b:
        for place, name in enumerate(("answers", "asks"), 1):
            owner = Owner(a, match_id(place), "near")
            # the second one over the connection that later ones use, too
            assert await owner.append() and await owner.append()
            before = await notes(far, owner)
            saying = await not_told(middles, [getattr(middle, name) for middle in middles], owner)
            if name == "answers":
                # the entry is stored without an answer
                while len(await notes(far, owner)) == len(before):
                    await asyncio.sleep(0.02)
            else:
                assert await notes(far, owner) == before
            assert not saying.done()
            for middle in middles:
                middle.open()
            assert await saying and await owner.append()
            heir = Owner(b, owner.match_id, "far")
            assert await heir.take() and heir.told == owner.told  # each entry once
        await _overtaken(a, b, far, middles)


async def _overtaken(a, b, far, middles):
    """Test an entry that was stored without an answer: once another host has claimed the match,
    only that host reports it.
    """
    owner = Owner(a, match_id(3), "near")
    assert await owner.append() and await owner.append()
    before = len(await notes(far, owner))
    saying = await not_told(middles, [middle.answers for middle in middles], owner)
    while len(await notes(far, owner)) == before:
        await asyncio.sleep(0.02)
    heir = Owner(b, owner.match_id, "far")
    assert await heir.take() and len(heir.told) == 3 and await heir.append()
    for middle in middles:
        middle.open()
    await saying  # an acknowledgement is true: the answer may have come at last
    assert heir.told[: len(owner.told)] == owner.told and not await owner.append()


async def test_database_with_lost_answers_acknowledges_truthfully(tmp_path):
    async with (
        asyncio.timeout(SECONDS),
        postgres_cluster(1) as cluster,
        between(cluster.nodes[0].port) as middle,
    ):
        near = PostgresEngine(
            f"postgresql://host@127.0.0.1:{middle.port}/fairdeal", "near", answer_seconds=5
        )
        await tried(near, PostgresEngine(cluster.link(), "far"), [middle], tmp_path)


# nats-py leaves a hanging connection open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_servers_with_lost_answers_acknowledge_truthfully(tmp_path):
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path) as cluster,
        AsyncExitStack() as stack,
    ):
        middles = [await stack.enter_async_context(between(port)) for port in cluster.clients]
        link = cluster.link()
        for port, middle in zip(cluster.clients, middles, strict=True):
            link = link.replace(f"127.0.0.1:{port}", f"127.0.0.1:{middle.port}")
        await tried(
            NatsEngine(parse_address(link), "near"),
            NatsEngine(cluster.address(), "far"),
            middles,
            tmp_path,
        )


FIRST, OTHERS = "n0", ("n1", "n2")


# nats-py leaves a connection to a server open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_silently_dead_store_server_causes_short_delay(tmp_path):
    """The other servers notice it only minutes later. It may be a server without sync until
    then.
    """
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path) as cluster:
        async with operator(cluster) as ask:
            await led(ask, OTHERS)
        near = NatsEngine(cluster.address(), "near", check_seconds=0.5)
        async with hosted(near, "near", tmp_path) as store:
            owner = Owner(store, match_id(1), "near")
            await cluster.stop([0])
            await until(lambda: not near.safe)
            assert await owner.append()


@asynccontextmanager
async def without_room(folder, leaders):
    """Run servers of which one has a full disk, and two hosts "near" and "far". One of `leaders`
    leads all streams.
    """
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(folder) as cluster,
        AsyncExitStack() as stack,
    ):
        cluster.signal(0, signal.SIGTERM)
        await cluster.stop([0])
        cluster.room[0] = "100KB"
        await cluster.start(0)
        assert await cluster.listens()
        async with operator(cluster) as ask:
            await led(ask, leaders)
        near = NatsEngine(cluster.address(), "near", check_seconds=0.5)
        a = await stack.enter_async_context(hosted(near, "near", folder))
        b = await stack.enter_async_context(
            hosted(NatsEngine(cluster.address(), "far"), "far", folder)
        )
        yield cluster, a, b


async def fill(owners, until_said):
    while not until_said():
        for owner in owners:
            assert await owner.append()


async def inherited(owners, store):
    """Check that another host finds all acknowledged entries, and goes on."""
    for owner in owners:
        heir = Owner(store, owner.match_id, "far")
        assert await heir.take() and heir.told == owner.told and await heir.append()


# nats-py leaves a connection to a server open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_full_store_server_causes_no_delay_and_is_named(tmp_path, caplog):
    """It does not recover by itself when there is room: it has to be restarted."""
    async with without_room(tmp_path, OTHERS) as (cluster, a, b):
        owners = [Owner(a, match_id(place), "near") for place in range(4)]
        await fill(owners, lambda: "is its disk full?" in caplog.text)
        assert f"127.0.0.1:{cluster.clients[0]} has no whole copy" in caplog.text
        await inherited(owners, b)


# nats-py leaves a connection to a server open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_store_leader_without_disk_space_costs_nothing_after_stop(tmp_path, caplog):
    """Before its stop, matches may wait: it is elected again and again, but cannot write."""
    async with without_room(tmp_path, [FIRST]) as (cluster, a, b):
        owners = [Owner(a, match_id(place), "near") for place in range(4)]
        caplog.clear()
        filling = asyncio.create_task(
            fill(
                owners,
                lambda: "the store refuses" in caplog.text or "is its disk full?" in caplog.text,
            )
        )
        await until(lambda: filling.done() or "the store refuses" in caplog.text)
        await cluster.stop([0])
        await filling
        await inherited(owners, b)
