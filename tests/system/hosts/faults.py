"""Faults of hosts and store servers, one in each round, while matches run."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from random import Random

from tests.support.nats_cluster import StoreCluster
from tests.support.postgres_cluster import PostgresCluster
from tests.system.hosts.trial import Trial

PAUSE = 10.0  # seconds of a stopped process
AWAY = 3.0  # seconds before a killed process is restarted
SHORT = 2.5  # seconds of both in a short round

Fault = Callable[[Trial, Random, bool], Awaitable[None]]


async def host_killed(trial: Trial, rng: Random, short: bool) -> None:
    """Kill a host with SIGKILL, and restart it."""
    host = rng.choice(trial.world.hosts)
    await host.kill()
    await asyncio.sleep(AWAY)
    await trial.world.start(host)


async def host_held_up(trial: Trial, rng: Random, short: bool) -> None:
    """Stop a host for a while with SIGSTOP. Then it continues as if it still owned its matches."""
    host = rng.choice(trial.world.hosts)
    host.signal(signal.SIGSTOP)
    await asyncio.sleep(SHORT if short else PAUSE)
    host.signal(signal.SIGCONT)


async def host_told_to_stop(trial: Trial, rng: Random, short: bool) -> None:
    """Send a host SIGTERM, and restart it."""
    host = rng.choice(trial.world.hosts)
    if await host.stop() != 0:
        trial.crowd.recorder.wrong.append(f"host {host.name} did not stop as it should")
    await trial.world.start(host)


async def two_hosts_killed(trial: Trial, rng: Random, short: bool) -> None:
    """Kill two hosts, so that only one is left."""
    gone = rng.sample(trial.world.hosts, 2)
    await asyncio.gather(*(host.kill() for host in gone))
    await asyncio.sleep(AWAY)
    await trial.world.start(*gone)


def store(nodes: int, number: signal.Signals) -> Fault:
    """Make a fault: this many servers of the store get a signal, and are restarted or continued."""

    async def fault(trial: Trial, rng: Random, short: bool) -> None:
        cluster = trial.world.cluster
        assert isinstance(cluster, StoreCluster)
        chosen = rng.sample(range(len(cluster.nodes)), nodes)
        for node in chosen:
            cluster.signal(node, number)
        await asyncio.sleep(SHORT if short else PAUSE if number is signal.SIGSTOP else AWAY)
        if number is signal.SIGSTOP:
            for node in chosen:
                cluster.signal(node, signal.SIGCONT)
            return
        await asyncio.gather(
            *(process.wait() for node in chosen if (process := cluster.nodes[node]) is not None)
        )
        await cluster.start(*chosen)
        assert await cluster.listens()

    return fault


def database(trial: Trial) -> PostgresCluster:
    """Return the servers of the store, which must be a database."""
    assert isinstance(trial.world.cluster, PostgresCluster)
    return trial.world.cluster


async def primary_killed(trial: Trial, rng: Random, short: bool) -> None:
    """Kill the primary, promote the standby, and make a new standby."""
    await database(trial).fail_over()


def held(primary: bool) -> Fault:
    """Make a fault: all processes of the primary, or of the standby, stop for a while."""

    async def fault(trial: Trial, rng: Random, short: bool) -> None:
        cluster = database(trial)
        node = cluster.nodes[cluster.primary if primary else 1 - cluster.primary]
        await node.hold()
        await asyncio.sleep(SHORT if short else PAUSE)
        await node.hold(False)

    return fault


async def both_killed(trial: Trial, rng: Random, short: bool) -> None:
    """Kill both servers, as in a power failure."""
    nodes = database(trial).nodes
    await asyncio.gather(*(node.kill() for node in nodes))
    await asyncio.sleep(AWAY)
    await asyncio.gather(*(node.start() for node in nodes))


DATABASE_FAULTS: dict[str, Fault] = {
    "the primary is killed, the standby promoted": primary_killed,
    "a host is killed": host_killed,
    "the standby is held up": held(primary=False),
    "a host is held up": host_held_up,
    "the primary is held up": held(primary=True),
    "two hosts are killed": two_hosts_killed,
    "primary and standby are killed": both_killed,
    "a host is told to stop": host_told_to_stop,
}

FAULTS: dict[str, Fault] = {
    "a host is killed": host_killed,
    "a host is held up": host_held_up,
    "a store server is killed": store(1, signal.SIGKILL),
    "two hosts are killed": two_hosts_killed,
    "a store server is held up": store(1, signal.SIGSTOP),
    "a host is told to stop": host_told_to_stop,
    "two store servers are killed": store(2, signal.SIGKILL),
    "a store server is told to stop": store(1, signal.SIGTERM),
    "two store servers are held up": store(2, signal.SIGSTOP),
    "all store servers are killed": store(3, signal.SIGKILL),
    "all store servers are told to stop": store(3, signal.SIGTERM),
}


async def rounds(
    trial: Trial, count: int, rng: Random, say: Callable[[str], None], short: bool = False
) -> None:
    """Run `count` rounds. After each, every match must go on."""
    faults = FAULTS if isinstance(trial.world.cluster, StoreCluster) else DATABASE_FAULTS
    for number in range(count):
        name, fault = list(faults.items())[number % len(faults)]
        before = time.monotonic()
        await fault(trial, rng, short)
        moment = time.monotonic()
        times = await trial.goes_on(list(trial.crowd.running), moment)
        longest = max(
            (trial.crowd.recorder.gap(each, before - 1) for each in trial.crowd.running),
            default=0.0,
        )
        say(
            f"round {number + 1}: {name}: took {moment - before:.1f} s; {len(times)} matches "
            "went on within "
            f"{max(times, default=0):.1f} s after; the longest pause so far {longest:.1f} s; "
            f"{len(trial.crowd.recorder.wrong)} things wrong"
        )
