"""Hosts of one table as processes, over three real servers: one dies, one is told to go, and every match goes on."""

import sys
from random import Random

import pytest

from fairdeal.cluster.operator import drained, looked_at
from tests.hosts import faults
from tests.hosts.trial import trial

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_a_host_dies_another_is_drained_and_nobody_loses_a_match(tmp_path):
    told = []
    async with trial(tmp_path, pairs=2, pace=0.05) as run:
        await run.look_on()
        store = run.world.cluster.link()
        await faults.rounds(run, 1, Random(2), told.append, short=True)
        assert await looked_at(store, told.append)
        host = run.world.hosts[0]
        await drained(store, host.name, told.append)
        assert await host.ended() == 0
    assert run.crowd.recorder.wrong == []
    assert run.onlookers
    assert run.crowd.ended


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_over_a_database_nobody_loses_a_match_either(tmp_path):
    """Its primary dies and its standby is promoted; then a host is drained."""
    told = []
    async with trial(tmp_path, pairs=2, hosts=2, pace=0.05, store="postgres") as run:
        await run.look_on()
        store = run.world.cluster.link()
        await faults.rounds(run, 1, Random(2), told.append, short=True)
        assert await looked_at(store, told.append)
        host = run.world.hosts[0]
        await drained(store, host.name, told.append)
        assert await host.ended() == 0
    assert run.crowd.recorder.wrong == []
    assert run.onlookers
    assert run.crowd.ended
