"""Several hosts of one table as processes over three real servers: one dies, one is drained, and
every match goes on.
"""

import sys
from random import Random

import pytest

from fairdeal.cluster.operator import drain_host, report_status
from tests.system.hosts import faults
from tests.system.hosts.trial import trial

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(("store", "hosts"), [("nats", 3), ("postgres", 2)])
async def test_matches_survive_dead_and_drained_hosts(tmp_path, store, hosts):
    """Over NATS hosts or servers die. Over a database the primary dies and the standby is promoted.
    Then one host is drained. Meanwhile spectators watch at hosts that do not own their match.
    """
    told = []
    async with trial(tmp_path, pairs=2, hosts=hosts, pace=0.05, store=store) as run:
        await run.look_on()
        link = run.world.cluster.link()
        await faults.rounds(run, 1, Random(2), told.append, short=True)
        assert await report_status(link, told.append)
        host = run.world.hosts[0]
        await drain_host(link, host.name, told.append)
        assert await host.ended() == 0
    assert run.crowd.recorder.wrong == []
    assert run.onlookers
    assert run.crowd.ended
