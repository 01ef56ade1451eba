"""Garbage collection of a table: old objects are frozen, and what ends is freed without a full
collection.
"""

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from protocol.limits import FULL_COLLECTION_GROWTH_MIB, FULL_COLLECTION_SECONDS, GC_THRESHOLDS
from table.config import MIB
from table.manager.server import TableServer
from table.metrics import Histogram
from table.ops.garbage import Collector, resident_bytes
from tests.support.tables import close_all, config, finish, guest, seated, until
from tests.unit.table.match.test_hosted_match import in_virtual_time


class Circle:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Whatever a test does, the collection is as it was."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.match  # a collection looks at all objects of the test run
@in_virtual_time
async def test_old_objects_are_frozen_and_young_circles_go():
    collector = Collector(lambda: False, Histogram(()))
    assert gc.get_threshold() == GC_THRESHOLDS
    frozen = gc.get_freeze_count()
    kept, lost = [[] for _ in range(1000)], weakref.ref(Circle())
    gc.collect()
    assert lost() is None
    assert gc.get_freeze_count() >= frozen + len(kept)
    collector.close()
    assert gc.get_freeze_count() == 0


@pytest.mark.match  # a collection looks at all objects of the test run
@in_virtual_time
async def test_collections_are_counted():
    stops = Histogram(())
    collector = Collector(lambda: False, stops)
    gc.collect(0)
    gc.collect(2)
    assert sum(stops.counts) >= 2
    collector.close()


@pytest.mark.match
@in_virtual_time
async def test_frozen_circles_go_when_nobody_plays():
    playing = True
    collector = Collector(lambda: not playing, Histogram(()))
    circle = Circle()
    gc.collect()  # it is frozen
    lost = weakref.ref(circle)
    del circle
    await asyncio.sleep(2 * FULL_COLLECTION_SECONDS)
    assert lost() is not None
    playing = False
    await asyncio.sleep(2 * FULL_COLLECTION_SECONDS)
    assert lost() is None
    collector.close()


@pytest.mark.match
@in_virtual_time
async def test_memory_that_grows_far_brings_a_full_collection():
    resident = 100 * MIB
    collector = Collector(lambda: False, Histogram(()), lambda: resident)
    circle = Circle()
    gc.collect()
    lost = weakref.ref(circle)
    del circle
    resident = 2 * resident + FULL_COLLECTION_GROWTH_MIB * MIB
    await asyncio.sleep(2 * FULL_COLLECTION_SECONDS)
    assert lost() is not None
    resident += 1
    await asyncio.sleep(2 * FULL_COLLECTION_SECONDS)
    assert lost() is None
    collector.close()


def test_resident_bytes_are_those_of_this_process():
    assert 10 * MIB < resident_bytes() < 100_000 * MIB


@pytest.mark.match
async def test_connections_and_matches_that_end_leave_no_circle(tmp_path):
    """Frozen circles would stay for as long as people play."""
    async with TableServer(config(tmp_path)) as table:
        await close_all(*await finish_and_collect(table))
        gc.collect()
        gc.disable()
        try:
            ann = await guest(table, 7, "Ann")
            (connection,) = table.connections
            session = weakref.ref(connection._session)
            del connection
            await close_all(ann)
            await until(lambda: not table.connections)
            await asyncio.sleep(0.05)
            assert session() is None
            clients = await seated(table, 1, 2)
            room = table.lobby.tables["main"].room
            log = weakref.ref(room.live.log)
            name = room.match_id
            del room
            await finish(clients)
            await close_all(*clients)
            await until(lambda: not table.connections and name not in table.matches.feeds)
            await asyncio.sleep(0.05)
            assert log() is None
        finally:
            gc.enable()


async def finish_and_collect(table: TableServer) -> list:
    clients = await seated(table, 1, 2)
    await finish(clients)
    return clients
