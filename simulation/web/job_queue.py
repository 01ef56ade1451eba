"""What a service has been asked for: a queue, the one that is being done, and what came of those
before.

A link is 128 random bits: who has it may look, and nobody finds another's. Time and chance are
passed in.
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

BYTES = 16  # of a link
# does one, and tells how many rounds it has played
Do = Callable[[SimulationTask, Callable[[int], None]], Awaitable[JobOutcome]]


class QueueFull(Exception):
    """No more can wait."""


@dataclass(eq=False)
class SimulationJob:
    """One of them, and no other that was asked for alike."""

    task: SimulationTask
    done: int = 0  # rounds
    begun: bool = False
    outcome: JobOutcome | None = None
    until: float = inf  # that it is kept

    def hear(self, done: int) -> None:
        """So many rounds have been played."""
        self.done = done


class JobQueue:
    """All of them. `make`: a new link's text for so many bytes of chance."""

    def __init__(
        self,
        do: Do,
        now: Callable[[], float] = time.monotonic,
        make: Callable[[int], str] = token_hex,
    ) -> None:
        self._do, self._now, self._make = do, now, make
        self._known: dict[str, SimulationJob] = {}  # in the order in which they were asked for
        self._more = asyncio.Event()

    def add(self, task: SimulationTask) -> str:
        """Have it done; its link. Raises: Full."""
        self._forget()
        if len(self._waiting()) >= MAX_SIMULATIONS_WAITING:
            raise QueueFull
        link = self._make(BYTES)
        self._known[link] = SimulationJob(task)
        self._more.set()
        return link

    def find(self, link: str) -> SimulationJob | None:
        """What a link leads to; nothing if there was none, or it was too long ago."""
        self._forget()
        return self._known.get(link)

    def before(self, simulation: SimulationJob) -> int:
        """How many are done before one that waits."""
        unfinished = [one for one in self._known.values() if one.outcome is None]
        return unfinished.index(simulation)

    async def work(self) -> None:
        """Do what is asked for, one after the other, until this is cancelled."""
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
