"""Database with a synchronous standby: the primary dies, the standby is promoted, and the old
primary comes back.
"""

import asyncio
from contextlib import AsyncExitStack

import pytest

from protocol.errors import LocalError
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.postgres.engine import PostgresEngine
from tests.support.postgres_cluster import postgres_cluster, stopped
from tests.support.table_stores.owners import Owner, hosted

pytestmark = pytest.mark.process

SECONDS, PATIENCE = 120, 1.0
WAITS = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


def match_id(place):
    return bytes([place]) * 32


def engine(link, name, check=60.0):
    return PostgresEngine(link, name, check, PATIENCE)


async def refused(link):
    with pytest.raises(LocalError) as caught:
        await engine(link, "z").open()
    return caught.value.phrase.key.removeprefix("wrong.store.")


async def further(owners, more=3):
    """Wait until every match has `more` further entries."""
    goals = [len(owner.told) + more for owner in owners]
    while any(len(owner.told) < goal for owner, goal in zip(owners, goals, strict=True)):
        await asyncio.sleep(0.02)


async def never(owner, seconds=1.5):
    """Check that no entry is acknowledged."""
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(owner.append(), seconds)


async def test_promoted_standby_works_and_old_primary_does_no_harm(tmp_path, caplog):
    async with asyncio.timeout(SECONDS), postgres_cluster() as cluster, AsyncExitStack() as stack:

        async def host(name, *servers, check=60.0):
            return await stack.enter_async_context(
                hosted(engine(cluster.link(*servers), name, check), name, tmp_path)
            )

        a, b = await host("a"), await host("b")
        owners = [Owner(a, match_id(place), "a") for place in range(4)]
        going = True

        async def play(owner):
            while going:
                assert await owner.append()
                await asyncio.sleep(0.02)

        async with asyncio.TaskGroup() as playing:
            for owner in owners:
                playing.create_task(play(owner))
            await further(owners)
            await _standby_hangs(cluster, owners)
            await _promoted(cluster, owners)
            await _old_primary_comes_back(cluster, host)
            await further(owners)
            going = False
        for owner in owners:
            heir = Owner(b, owner.match_id, "b")
            assert await heir.take() and heir.told == owner.told
            assert await heir.append() and not await owner.append()
        await _only_the_old_one_is_left(cluster, host, heir, caplog)


async def _standby_hangs(cluster, owners):
    """Test a hanging standby: nothing is acknowledged, even if an operator cancels the wait, after
    which the server acknowledges.
    """
    primary, standby = cluster.nodes
    await standby.hold()
    while not await primary.sql(WAITS):
        await asyncio.sleep(0.02)
    told = [len(owner.told) for owner in owners]
    for _ in range(3):
        await primary.sql(WAITS)
        await asyncio.sleep(0.05)
    assert told == [len(owner.told) for owner in owners]
    await standby.hold(False)
    await further(owners)


async def _promoted(cluster, owners):
    """Test a promotion by an operator who goes on with one server. The primary first hangs, then
    dies.
    """
    primary, standby = cluster.nodes
    await primary.hold()
    await standby.promote()
    await standby.set("synchronous_standby_names", "")
    await further(owners)
    await primary.kill()
    await further(owners)


async def _old_primary_comes_back(cluster, host):
    """Test the unchanged old primary: it accepts writes, and acknowledges none."""
    old, new = cluster.nodes
    await old.start()
    assert await old.sql("SELECT pg_is_in_recovery()") == [(False,)]
    knows = Owner(await host("c"), match_id(9), "c")
    assert await knows.append()
    found = f"SELECT count(*) FROM fairdeal_items WHERE subject = '{subject_of(match_id(9))}'"
    assert await new.sql(found) == [(1,)]


async def _only_the_old_one_is_left(cluster, host, heir, caplog):
    """Test the old primary alone: it acknowledges nothing. If an operator makes it acknowledge,
    hosts that know the new primary refuse it.
    """
    old, new = cluster.nodes
    await stopped(new)
    await never(Owner(await host("d"), match_id(10), "d"))
    await old.set("synchronous_standby_names", "")
    await never(heir)
    while "was the primary until a standby was promoted" not in caplog.text:
        await asyncio.sleep(0.02)


async def test_lagging_standby_is_refused_until_commits_wait(tmp_path, caplog):
    async with asyncio.timeout(SECONDS), postgres_cluster() as cluster:
        primary = cluster.nodes[0]
        assert await refused(cluster.link(1)) == "standby"
        await primary.sql("ALTER ROLE host SET synchronous_commit = local")
        assert await refused(cluster.link()) == "commit"
        await primary.sql("ALTER ROLE host SET synchronous_commit = remote_apply")
        async with hosted(engine(cluster.link(), "a", 0.05), "a", tmp_path) as store:
            owner = Owner(store, match_id(1), "a")
            assert await owner.append()
            await primary.set("synchronous_standby_names", "")
            while "before they are on its standby" not in caplog.text:
                await asyncio.sleep(0.02)
            waits = asyncio.create_task(owner.append())
            await primary.set("synchronous_standby_names", "*")
            assert await waits
            await primary.sql("TRUNCATE fairdeal_ends, fairdeal_items")
            assert not await owner.append()
            while "has lost confirmed entries: a standby" not in caplog.text:
                await asyncio.sleep(0.02)
            await never(Owner(store, match_id(2), "a"))
