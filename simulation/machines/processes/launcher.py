"""Start the processes of a run on this machine. None of them dies unnoticed or outlives the run."""

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
    """Server and processes of a run."""

    url: str  # of the NATS server
    processes: int = 2  # on this machine, without the coordinator's
    strategy: str = "blind"
    # first player and number of players on this machine; None: all
    here: tuple[int, int] | None = None
    # name of the run, for processes on other machines
    run: str = field(default_factory=lambda: secrets.token_hex(RUN))


@dataclass(frozen=True)
class Child:
    """A started process."""

    spec: ProcessSpec
    process: Process


Started = Callable[[Sequence[Child]], None]


def split_players(first: int, players: int, processes: int) -> list[tuple[int, int]]:
    """Divide players evenly among processes: first player and number of players of each. No process
    is without a player.
    """
    processes = min(players, processes)
    bounds = [first + players * each // processes for each in range(processes + 1)]
    return [(low, high - low) for low, high in pairwise(bounds)]


async def play(
    plan: RoundPlan, cluster: ProcessPlan, started: Started = lambda children: None
) -> RoundScore | VoidRound:
    """Play a round. `started` is called with the processes when play begins. Raises: LocalError if
    the round cannot be played.
    """
    if cluster.here is None:
        wait = MACHINES_READY_SECONDS
    else:
        wait = MACHINES_ELSEWHERE_SECONDS
    given = (cluster.url, cluster.run)
    first, count = cluster.here or (0, len(plan.decks))
    specs = [ProcessSpec(*given, COORDINATOR, 1, wait=wait, plan=plan)]
    specs += [
        ProcessSpec(*given, *share, cluster.strategy, wait)
        for share in split_players(first, count, cluster.processes)
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
    """End the processes by closing their standard input; kill those that go on."""
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
    """A started run. The first process that reports an outcome, or dies, decides."""

    def __init__(self, children: Sequence[Child], started: Started) -> None:
        self.children = children
        self.started = started
        self.begun: float | None = None

    async def outcome(self) -> RoundScore | VoidRound:
        """Wait for the outcome. Raises: LocalError if a process could not do its work."""
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
        """Read the outcome from the coordinator; None if its process ends without one."""
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
        """Judge a coordinator that ended without an outcome."""
        coordinator = self.children[0]
        await coordinator.process.wait()
        return self._dead([coordinator])

    def _dead(self, dead: Sequence[Child]) -> VoidRound:
        """Judge dead processes: they died by themselves, or because the server did."""
        codes = {child.process.returncode for child in dead}
        if FAILED in codes:
            raise LocalError("wrong.machines.failed")
        if self.begun is None:
            since = 0.0
        else:
            since = (time.monotonic() - self.begun) * 1e6
        if SERVER_GONE in codes:
            return VoidRound("server", (), since)
        if any(child.spec.coordinates for child in dead):
            return VoidRound("coordinator", (), since)
        players = tuple(
            child.spec.first + each for child in dead for each in range(child.spec.count)
        )
        return VoidRound("died", players, since)
