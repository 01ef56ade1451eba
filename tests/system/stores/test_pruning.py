"""Pruning of a store on real servers."""

import asyncio
import os
import sys
import time
from contextlib import AsyncExitStack
from functools import partial

import pytest

from table.storage.shared.backend import Unanswered
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.streams import MATCHES as STREAMS
from table.storage.shared.postgres.engine import PostgresEngine
from table.storage.shared.postgres.statements import OLDEST
from table.storage.shared.pruning import MATCHES, PruneLimits
from tests.integration.storage.calls import game, put
from tests.integration.storage.over_stores import NatsWorld
from tests.integration.storage.pruning_suite import (
    ALL,
    PRUNING,
    finish,
    prune,
    there_is,
    walked,
)
from tests.support.docs import ROOT
from tests.support.nats_cluster import store_cluster
from tests.support.postgres import database
from tests.support.table_stores import pruner
from tests.support.table_stores.operator import done, emptied, operator
from tests.support.table_stores.owners import hosted
from tests.system.stores.test_postgres import PostgresWorld

pytestmark = pytest.mark.process

SECONDS = 240


async def test_nats_servers_are_pruned_as_promised(tmp_path):
    """With the rights of docs/cluster.md. All cases use the same servers, emptied in between."""
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path) as cluster,
        emptied(cluster) as empty,
    ):
        for case in PRUNING:
            await NatsWorld(tmp_path, cluster.address(), lambda: b"").play(case)
            await empty()


async def test_database_is_pruned_as_promised(tmp_path):
    with database() as (address, sql):
        for case in PRUNING:
            await PostgresWorld(tmp_path, address, lambda: b"").play(case)
            sql("TRUNCATE fairdeal_ends, fairdeal_items")


class CountedNats(NatsEngine):
    """Engine that counts the messages that it asks for."""

    asked = 0

    async def find(self, stream, **which):
        type(self).asked += 1
        return await super().find(stream, **which)


async def test_servers_find_the_oldest_match_by_one_question_a_stream(tmp_path):
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path) as cluster:
        engine = CountedNats(cluster.address(), "one")
        async with hosted(engine, "one", tmp_path) as there:
            await finish(there, game(1))
            names = [f"{MATCHES}{number * 5 % len(STREAMS)}.{number}" for number in range(200)]
            for name in names:
                await engine.append(name, 0, b"x")
            CountedNats.asked = 0
            assert await prune(there, PruneLimits(age=3600.0)) == []
            assert CountedNats.asked == len(STREAMS)
            found = await walked(engine.oldest(MATCHES))
            match = subject_of(game(1).match_id)
            assert [name for name in found if name != match] == names
            assert CountedNats.asked == 2 * len(STREAMS) + len(found)


async def test_store_that_withholds_the_right_to_purge_keeps_everything(tmp_path):
    async with (
        asyncio.timeout(SECONDS),
        store_cluster(tmp_path) as cluster,
        operator(cluster) as ask,
    ):
        engine = NatsEngine(cluster.address(), "one")
        async with hosted(engine, "one", tmp_path) as there:
            await finish(there, game(1))
            name = STREAMS[game(1).match_id[0] % len(STREAMS)]
            config = (await ask(f"STREAM.INFO.{name}"))["config"]
            await done(ask, f"STREAM.UPDATE.{name}", **config | {"deny_purge": True})
            with pytest.raises(Unanswered):
                await prune(there, ALL)
            assert await there_is(there, game(1))


def an_hour_ago() -> float:
    """A host for whose clock the store's is ahead."""
    return time.time() - 3600.0


@pytest.mark.parametrize("server", ["nats", "postgres"])
async def test_clock_of_a_store_that_is_ahead_removes_nothing(tmp_path, server: str):
    async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
        if server == "nats":
            address = (await stack.enter_async_context(store_cluster(tmp_path))).address()
            make = partial(NatsEngine, address)
        else:
            link, _ = stack.enter_context(database())
            make = partial(PostgresEngine, link)
        young = PruneLimits(age=0.0), PruneLimits(size=0, kept=0.0)
        async with hosted(make("one", wall=an_hour_ago), "one", tmp_path) as there:
            await finish(there, game(1))
            for limits in young:
                assert await prune(there, limits) == []
            assert await there_is(there, game(1))
        async with hosted(make("two"), "two", tmp_path) as there:
            assert await prune(there, young[0]) == [game(1).match_id]


async def test_database_finds_the_oldest_match_among_many_by_an_index():
    with database() as (address, sql):
        engine = PostgresEngine(address, "one")
        await engine.open()
        try:
            sql(
                "INSERT INTO fairdeal_items SELECT 'm.1.' || n, k, 'x', now() - make_interval(secs => n)"
                " FROM generate_series(1, 5000) AS n, generate_series(1, 4) AS k"
            )
            sql("ANALYZE fairdeal_items")
            first = await engine.oldest(MATCHES).next()
            assert first is not None and first.subject == "m.1.5000" and 5000 <= first.age < 5060
            given = {
                "at": "'-infinity'",
                "subject": "''",
                "first": "'m.'",
                "end": "'m/'",
                "wall": "extract(epoch FROM now())",
                "most": 64,
            }
            plan = sql("EXPLAIN " + OLDEST % given)
            assert any("fairdeal_begun" in line for line in plan)
            assert not any("Seq Scan" in line for line in plan)
        finally:
            await engine.close()


async def test_database_of_an_earlier_program_keeps_its_matches(tmp_path):
    """Their age counts from then on."""
    with database() as (address, sql):
        async with hosted(PostgresEngine(address, "one"), "one", tmp_path) as there:
            await finish(there, game(1))
        sql("DROP INDEX fairdeal_begun")
        sql("ALTER TABLE fairdeal_items DROP COLUMN at")
        sql("ALTER TABLE fairdeal_ends DROP COLUMN bytes")
        async with hosted(PostgresEngine(address, "one"), "one", tmp_path) as there:
            assert await there_is(there, game(1))
            await finish(there, game(2))
            assert await prune(there, PruneLimits(age=3600.0)) == []
            assert len(await prune(there, ALL)) == 2


async def killed_in_turn(store, folder, turns):
    """Start a process that prunes, and kill it when so many turns have begun."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        pruner.__name__,
        store,
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    for _ in range(turns):
        assert await process.stdout.readline() == b"turn\n"
    process.kill()
    await process.wait()


async def killed_while_it_prunes(engine, store, folder):
    """Kill hosts that prune, and check after each that every match is whole or unknown; and that the
    running one goes on.
    """
    matches, running = [game(seed) for seed in range(1, 13)], game(13)
    async with hosted(engine, "one", folder) as there:
        assert await put(there, running.part(0, 2)) == "done"
        for match in matches:
            await finish(there, match)
        for turns in (4, 6):
            await killed_in_turn(store, folder, turns)
            found = [await there_is(there, match) for match in matches]
            assert any(found) and not all(found)
        left = {match.match_id for match in matches if await there_is(there, match)}
        assert set(await prune(there, ALL)) == left
        assert await put(there, running.part(2, 4, heads=0)) == "done"


async def test_host_is_killed_while_it_prunes_servers(tmp_path):
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path) as cluster:
        engine = NatsEngine(cluster.address(), "one")
        await killed_while_it_prunes(engine, cluster.link(), tmp_path)


async def test_host_is_killed_while_it_prunes_a_database(tmp_path):
    with database() as (address, _):
        await killed_while_it_prunes(PostgresEngine(address, "one"), address, tmp_path)
