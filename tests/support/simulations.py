"""The simulation service in the test's own process, and requests to it as bytes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from simulation.rounds import play_rounds
from simulation.task import SimulationTask
from simulation.web.job_queue import Do
from simulation.web.server import ServerAddress, running_server
from simulation.web.worker_process import JobOutcome
from simulation.web.worker_program import answers_of
from tests.support.pages import Answer, parsed

FORM = "application/x-www-form-urlencoded"
SMALL = {"model": "table", "rounds": 3}


async def at_once(task: SimulationTask, hear: Callable[[int], None]) -> JobOutcome:
    """Run a simulation in this process, as a worker does."""
    return JobOutcome(
        {name: text.encode() for name, text in answers_of(play_rounds(task, hear)).items()}
    )


@dataclass
class Service:
    """A running service."""

    address: str

    @property
    def host(self) -> str:
        """Host name and port."""
        return self.address.removeprefix("http://").rstrip("/")

    async def post(self, body: Any, path: str = "/simulations", **headers: str) -> Answer:
        """Send a POST of JSON, or of bytes as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.request(
            f"POST {path}", raw, **{"content_type": "application/json", **headers}
        )

    async def get(self, path: str, **headers: str) -> Answer:
        """Send a GET."""
        return await self.request(f"GET {path}", **headers)

    async def begin(self, body: Any) -> str:
        """Request a simulation. Return its path."""
        answer = await self.post(body)
        assert answer.status == 202, answer.body
        return answer.headers["location"]

    async def result(self, path: str, accept: str = "application/json", **headers: str) -> Answer:
        """Wait for the result of a simulation."""
        async with asyncio.timeout(240):
            while (
                "retry-after" in (answer := await self.get(path, accept=accept, **headers)).headers
            ):
                await asyncio.sleep(0)
        return answer

    async def request(self, what: str, body: bytes = b"", **headers: str) -> Answer:
        """Send a request with these headers. An empty value removes a header."""
        sent = {"host": self.host, "content-length": str(len(body)), "connection": "close"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{what} HTTP/1.1",
            *(f"{name}: {value}" for name, value in sent.items() if value),
            "",
            "",
        ]
        return await self.raw("\r\n".join(lines).encode() + body)

    async def raw(self, request: bytes) -> Answer:
        """Send these bytes, and return the answer."""
        host, _, port = self.host.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(request)
            return parsed(await reader.read())
        finally:
            writer.close()


@asynccontextmanager
async def offered(do: Do = at_once, place: ServerAddress | None = None) -> AsyncIterator[Service]:
    """Run a service during the block."""
    async with running_server(place or ServerAddress(), do) as address:
        yield Service(address)
