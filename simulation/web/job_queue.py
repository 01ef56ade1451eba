"""Queue of simulations: those that wait, the one that runs, and finished ones.

A link has 128 random bits: only those who have the link find the simulation. Time and randomness
are passed in.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf
from secrets import token_hex

from protocol.limits import MAX_SIMULATIONS_KEPT, MAX_SIMULATIONS_WAITING, SIMULATION_HOURS
from simulation.task import SimulationTask
from simulation.web.worker_process import JobOutcome

BYTES = 16  # random bytes of a link
# Runs a simulation, and calls its second argument with the number of rounds played.
Do = Callable[[SimulationTask, Callable[[int], None]], Awaitable[JobOutcome]]


class QueueFull(Exception):
    """The queue has no place left."""


@dataclass(eq=False)
class SimulationJob:
    """One request for a simulation; equal tasks are different jobs."""

    task: SimulationTask
    done: int = 0  # rounds
    begun: bool = False
    outcome: JobOutcome | None = None
    until: float = inf  # time until which it is kept

    def hear(self, done: int) -> None:
        """Note that `done` rounds have been played."""
        self.done = done


class JobQueue:
    """Queue of all simulations. `make` converts random bytes into the text of a link."""

    def __init__(
        self,
        do: Do,
        now: Callable[[], float] = time.monotonic,
        make: Callable[[int], str] = token_hex,
    ) -> None:
        self._do = do
        self._now = now
        self._make = make
        self._known: dict[str, SimulationJob] = {}  # in the order of requests
        self._more = asyncio.Event()

    def add(self, task: SimulationTask) -> str:
        """Add a simulation and return its link. Raises: QueueFull."""
        self._forget()
        if len(self._waiting()) >= MAX_SIMULATIONS_WAITING:
            raise QueueFull
        link = self._make(BYTES)
        self._known[link] = SimulationJob(task)
        self._more.set()
        return link

    def find(self, link: str) -> SimulationJob | None:
        """Find the simulation of a link; None if the link is unknown or has expired."""
        self._forget()
        return self._known.get(link)

    def before(self, simulation: SimulationJob) -> int:
        """Number of simulations that come before one that waits."""
        unfinished = [one for one in self._known.values() if one.outcome is None]
        return unfinished.index(simulation)

    async def work(self) -> None:
        """Run the simulations one after the other, until cancelled."""
        while True:
            waiting = self._waiting()
            if not waiting:
                self._more.clear()
                await self._more.wait()
                continue
            waiting[0].begun = True
            waiting[0].outcome = await self._do(waiting[0].task, waiting[0].hear)
            waiting[0].until = self._now() + SIMULATION_HOURS * 3600
            self._forget()

    def _waiting(self) -> list[SimulationJob]:
        return [one for one in self._known.values() if not one.begun]

    def _forget(self) -> None:
        now = self._now()
        kept = {link: one for link, one in self._known.items() if one.until >= now}
        finished = [link for link, one in kept.items() if one.outcome is not None]
        for link in finished[: max(0, len(finished) - MAX_SIMULATIONS_KEPT)]:
            del kept[link]
        self._known = kept
