"""Workers of a table in virtual time, without processes: they fold as the real ones do, and die and
hang by chance.
"""

import asyncio
from random import Random
from typing import TYPE_CHECKING

from protocol.games.registry import Games
from table.workers.messages import (
    LENGTH_BYTES,
    Answer,
    Request,
    decode_request,
    encode_answer,
    encode_ready,
    frame_size,
)
from table.workers.pool import FoldPool, StartedWorker
from table.workers.process import FoldedMatches

if TYPE_CHECKING:
    from tests.properties.simulate.world import World

START = (0.05, 0.5)  # seconds until a worker has started
FOLD = (0.0005, 0.01)  # seconds for a request
HANG = (1.0, 90.0)  # seconds for one at which the worker hangs
KILLED = -9


class SimulatedMatches(FoldedMatches):
    """Matches of a worker whose processor time is a fixed number, and has no limit."""

    def handle(self, request: Request) -> Answer | None:
        answer = super().handle(request)
        return None if answer is None else answer._replace(microseconds=1000)

    def limit_processor_time(self) -> None:
        """Do nothing: this process is not a worker."""


class SimulatedWorker:
    """A worker; also its process, and the line to it, as the pool sees them.

    Its callbacks belong to the table's process and end with it.
    """

    def __init__(self, world: "World", rng: Random, games: Games, died: set[Request]) -> None:
        """`died`: requests of which a worker has died, which kills none a second time."""
        self._world, self._rng, self._died = world, rng, died
        self._matches = SimulatedMatches(games, 0.0)
        self._requests = bytearray()
        self._ended = world.loop.create_future()
        self.reader = asyncio.StreamReader(loop=world.loop)
        self._free = 0.0  # when it has done all that it was asked

    # --- its process ---

    def kill(self) -> None:
        if self._ended.done():
            raise ProcessLookupError
        self._ended.set_result(KILLED)
        self.reader.feed_eof()

    async def wait(self) -> int:
        return int(await self._ended)

    # --- the line to it ---

    def write(self, data: bytes) -> None:
        self._requests += data
        while len(self._requests) >= LENGTH_BYTES:
            end = LENGTH_BYTES + frame_size(bytes(self._requests[:LENGTH_BYTES]))
            if len(self._requests) < end:
                return
            request = decode_request(bytes(self._requests[LENGTH_BYTES:end]))
            del self._requests[:end]
            self._take(request)

    def close(self) -> None:
        if not self._ended.done():
            self.kill()

    # --- inside ---

    def _strikes(self, chance: float, kind: str) -> bool:
        if not chance or self._rng.random() >= chance:
            return False
        self._world.network.happened[kind] += 1
        self._world.note("worker", kind)
        return True

    def _take(self, request: Request) -> None:
        weather, loop = self._world.network.weather, self._world.loop
        seconds = self._rng.uniform(*FOLD)
        if self._strikes(weather.worker_hang, "worker hung"):
            seconds = self._rng.uniform(*HANG)
        dies = (
            request.kind == "fold"
            and request not in self._died
            and self._strikes(weather.worker_death, "worker died")
        )
        self._free = max(self._free, loop.time()) + seconds
        loop.call_at(self._free, self._answer, request, dies)

    def _answer(self, request: Request, dies: bool) -> None:
        if self._ended.done():
            return
        if dies:
            self._died.add(request)
            self.kill()
            return
        answer = self._matches.handle(request)
        if answer is not None:
            self.reader.feed_data(encode_answer(answer))


def simulated_pool(
    world: "World", rng: Random, games: Games, kind: type[FoldPool]
) -> type[FoldPool]:
    """Return the pool of a table in this world: one of this kind, with simulated workers."""

    died: set[Request] = set()

    class SimulatedPool(kind):  # type: ignore[misc, valid-type]  # a class given at run time
        async def launch(self, is_for_suspects: bool) -> StartedWorker:
            await asyncio.sleep(rng.uniform(*START))
            worker = SimulatedWorker(world, rng, games, died)
            worker.reader.feed_data(encode_ready())
            return StartedWorker(worker, worker.reader, worker)

    return SimulatedPool
