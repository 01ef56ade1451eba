"""Storage suite over each store."""

import asyncio

import pytest

from tests.integration.standby.world import StandbyWorld
from tests.integration.storage.calls import game
from tests.integration.storage.over_stores import MemoryWorld, NatsWorld
from tests.integration.storage.suite import SUITE
from tests.integration.storage.worlds import WORLDS, Case
from tests.support.nats_cluster import store_cluster
from tests.support.table_stores.operator import emptied, kept_in_streams

ALL = {**WORLDS, "stores": MemoryWorld, "standby": StandbyWorld}


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.__name__)
@pytest.mark.parametrize("world", ALL)
def test_store_keeps_its_promises(world: str, case: Case, tmp_path) -> None:
    ALL[world](tmp_path).run(case)


@pytest.mark.process
async def test_real_servers_keep_store_promises(tmp_path) -> None:
    """All cases use the same servers, which are emptied in between."""
    async with asyncio.timeout(240), store_cluster(tmp_path) as cluster, emptied(cluster) as empty:
        for case in SUITE:
            await NatsWorld(tmp_path, cluster.address(), lambda: kept_in_streams(tmp_path)).play(
                case
            )
            await empty()


def test_suite_match_is_long_enough() -> None:
    assert all(len(game(seed).records) > 9 for seed in range(1, 5))
