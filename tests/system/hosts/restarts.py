"""Pause of matches when their host dies, and when all hosts are restarted one after the other."""

import asyncio
import signal
import time
from collections.abc import Callable
from random import Random

from tests.system.hosts.trial import Trial

SETTLE_SECONDS = 4.0  # seconds between a restarted host and the next restart


async def takeovers(
    trial: Trial, count: int, rng: Random, say: Callable[[str], None], held_up: bool = False
) -> list[float]:
    """Return the seconds from the death of a host until the next move of each of its matches, at
    any player.

    With `held_up`, SIGSTOP stops the host and its connections stay. It continues when other hosts
    have its matches.
    """
    seconds: list[float] = []
    while len(seconds) < count and not trial.crowd.recorder.wrong:
        await trial.until(
            lambda: any(map(trial.owned, trial.world.hosts)), 60, "some host has a match"
        )
        host = rng.choice([host for host in trial.world.hosts if trial.owned(host)])
        had, moment = trial.owned(host), time.monotonic()
        if held_up:
            host.signal(signal.SIGSTOP)
        else:
            await host.kill()
        found = await trial.goes_on(had, moment, host.port)
        seconds += found
        what = "held up" if held_up else "killed"
        say(
            f"{host.name} {what}, {len(had)} matches: "
            f"{', '.join(f'{each:.1f}' for each in found)} s"
        )
        if held_up:
            host.signal(signal.SIGCONT)
        else:
            await trial.world.start(host)
        await asyncio.sleep(SETTLE_SECONDS)
    return seconds


async def rolling(trial: Trial, say: Callable[[str], None]) -> float:
    """Restart all hosts one after the other. Return the longest time between two moves of a
    match.
    """
    begun = time.monotonic()
    before = set(trial.crowd.running)
    for host in trial.world.hosts:
        had, moment = trial.owned(host), time.monotonic()
        if await host.stop() != 0:
            trial.crowd.recorder.wrong.append(f"host {host.name} did not stop as it should")
        stopped = time.monotonic() - moment
        found = await trial.goes_on(had, moment, host.port)
        await trial.world.start(host)
        say(
            f"{host.name} restarted, stopped after {stopped:.1f} s; its {len(had)} matches "
            "went on elsewhere within "
            f"{max(found, default=0):.1f} s of its being told"
        )
        await asyncio.sleep(SETTLE_SECONDS)
    after = set(trial.crowd.running)
    return max((trial.crowd.recorder.gap(each, begun - 1) for each in before | after), default=0.0)
