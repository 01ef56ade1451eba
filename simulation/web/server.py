"""The web service as a program: its address, its queue and its end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from commandline.stop_signals import call_when_stopped
from net.addresses import advertised_host, is_wildcard, resolve
from net.http.policy import HOST, is_own_host
from net.http.server import ServerBounds, open_listener, serve
from protocol.limits import MAX_SIMULATION_BODY, MAX_SIMULATION_CONNECTIONS
from protocol.view.phrase import Phrase, phrase
from simulation.web.app import HEADERS, make_app
from simulation.web.job_queue import Do, JobQueue
from simulation.web.worker_process import WorkerCommand, run_worker


@dataclass(frozen=True)
class ServerAddress:
    """Address of the service. `names` are further host names that browsers may use."""

    port: int = 0
    host: str = HOST
    names: tuple[str, ...] = ()


@asynccontextmanager
async def running_server(place: ServerAddress, do: Do) -> AsyncIterator[str]:
    """Serve while the context lasts; yields the address. Raises: LocalError if the address cannot
    be used.
    """
    host, _ = await resolve(place.host, place.port)
    listener = open_listener(place.port, host)
    port = int(listener.getsockname()[1])
    names = {
        f"{_bracketed(one)}:{port}"
        for one in (place.host, host, advertised_host(host))
        if not is_wildcard(one)
    }
    simulations = JobQueue(do)
    app = make_app(simulations, lambda asked: is_own_host(asked, port, *names, *place.names))
    bounds = ServerBounds(MAX_SIMULATION_CONNECTIONS, MAX_SIMULATION_BODY)
    working = asyncio.create_task(simulations.work())
    try:
        async with serve(app, listener, HEADERS, bounds):
            yield f"http://{_bracketed(advertised_host(host))}:{port}/"
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def serve_until_stopped(
    place: ServerAddress, worker: WorkerCommand, tell: Callable[[Phrase], None]
) -> None:
    """Serve until a signal ends the program. Raises: LocalError."""
    stopped = asyncio.Event()
    call_when_stopped(stopped.set, hangup=True)
    async with running_server(place, partial(run_worker, worker)) as address:
        tell(phrase("simulate.web.open", address=address))
        await stopped.wait()
