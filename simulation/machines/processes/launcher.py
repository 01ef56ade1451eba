"""Start the processes of a run on this machine, and see that none of them dies unnoticed, or
outlives the run.
"""

import asyncio
import json
import secrets
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from commandline.children import python_child
from protocol.errors import LocalError
from protocol.limits import (
    MACHINES_ELSEWHERE_SECONDS,
    MACHINES_READY_SECONDS,
    MACHINES_STOP_SECONDS,
)
from simulation.machines.coordinator import RoundPlan, RoundScore, VoidRound
from simulation.machines.messages import COORDINATOR, RUN
from simulation.machines.processes.child import FAILED, FINE, SERVER_GONE
from simulation.machines.processes.child_spec import ProcessSpec, write_spec
from simulation.machines.result import from_plain


@dataclass(frozen=True)
class ProcessPlan:
    """Where a run is played."""

    url: str  # of the NATS server
    processes: int = 2  # on this machine, beside the coordinator's
    strategy: str = "blind"
    # the first player whom these play for, and how many; None, for all
    here: tuple[int, int] | None = None
    # what others on other machines join
    run: str = field(default_factory=lambda: secrets.token_hex(RUN))


@dataclass(frozen=True)
class Child:
    """One of the processes."""

    spec: ProcessSpec
    process: Process


Started = Callable[[Sequence[Child]], None]


def shares(first: int, players: int, processes: int) -> list[tuple[int, int]]:
    """First player and how many, for each process: as evenly as it goes, none without."""
    processes = min(players, processes)
    bounds = [first + players * each // processes for each in range(processes + 1)]
    return [(low, high - low) for low, high in pairwise(bounds)]


async def play(
    plan: RoundPlan, cluster: ProcessPlan, started: Started = lambda children: None
) -> RoundScore | VoidRound:
    """One round. `started` hears of the processes when playing begins. Raises: LocalError if it
    cannot be played.
    """
    wait = MACHINES_READY_SECONDS if cluster.here is None else MACHINES_ELSEWHERE_SECONDS
    given = (cluster.url, cluster.run)
    first, count = cluster.here or (0, len(plan.decks))
    specs = [ProcessSpec(*given, COORDINATOR, 1, wait=wait, plan=plan)]
    specs += [
        ProcessSpec(*given, *share, cluster.strategy, wait)
        for share in shares(first, count, cluster.processes)
    ]
    children: list[Child] = []
    try:
        for spec in specs:
            children.append(Child(spec, await _start(spec)))
        return await RunLauncher(children, started).outcome()
    finally:
        await _stop([child.process for child in children])


async def _start(spec: ProcessSpec) -> Process:
    output = PIPE if spec.coordinates else None
    child = python_child("-m", "simulation.machines.processes.child")
    process = await asyncio.create_subprocess_exec(
        *child.command, env=child.environ, stdin=PIPE, stdout=output, limit=1 << 26
    )
    assert process.stdin is not None
    process.stdin.write(write_spec(spec).encode() + b"\n")
    return process


async def _stop(processes: Sequence[Process]) -> None:
    """They end when their standard input does; who does not is killed."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    if processes:
        with suppress(TimeoutError):
            async with asyncio.timeout(MACHINES_STOP_SECONDS):
                await asyncio.gather(*(process.wait() for process in processes))
    for process in processes:
        if process.returncode is None:
            process.kill()
            await process.wait()


class RunLauncher:
    """A run that has been started: the first that says what came of it, or dies, decides."""

    def __init__(self, children: Sequence[Child], started: Started) -> None:
        self.children, self.started = children, started
        self.begun: float | None = None

    async def outcome(self) -> RoundScore | VoidRound:
        """Raises: LocalError if a process could not do its work."""
        said = asyncio.ensure_future(self._said())
        ends = {asyncio.ensure_future(child.process.wait()): child for child in self.children}
        waiting = {said, *ends}
        try:
            while True:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if said in done:
                    return said.result() or await self._ended_without_a_word()
                dead = [
                    child
                    for end, child in ends.items()
                    if end.done() and child.process.returncode != FINE
                ]
                if dead:
                    return self._dead(dead)
        finally:
            for task in waiting:
                task.cancel()

    async def _said(self) -> RoundScore | VoidRound | None:
        """What the coordinator says came of it; None if it ends without a word."""
        output = self.children[0].process.stdout
        assert output is not None
        while line := await output.readline():
            plain: dict[str, Any] = json.loads(line)
            if "started" not in plain:
                return from_plain(plain)
            self.begun = time.monotonic()
            self.started(self.children)
        return None

    async def _ended_without_a_word(self) -> VoidRound:
        """The coordinator."""
        coordinator = self.children[0]
        await coordinator.process.wait()
        return self._dead([coordinator])

    def _dead(self, dead: Sequence[Child]) -> VoidRound:
        """Somebody has died: of itself, or since the server has."""
        codes = {child.process.returncode for child in dead}
        if FAILED in codes:
            raise LocalError("wrong.machines.failed")
        since = 0.0 if self.begun is None else (time.monotonic() - self.begun) * 1e6
        if SERVER_GONE in codes:
            return VoidRound("server", (), since)
        if any(child.spec.coordinates for child in dead):
            return VoidRound("coordinator", (), since)
        players = tuple(
            child.spec.first + each for child in dead for each in range(child.spec.count)
        )
        return VoidRound("died", players, since)
