"""The server: to this machine alone, at a port that the system chooses, and within bounds."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from player.page.http.access import HEADERS
from protocol.errors import LocalError
from protocol.limits import MAX_PAGE_CONNECTIONS, MAX_PAGE_HEADERS, PAGE_SECONDS

HOST = "127.0.0.1"
CLOSE_SECONDS = 1  # for streams to be told of the end


class _Connection(H11Protocol):
    """One connection; one on which no request comes in time is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the time."""
        super().connection_made(transport)
        self._due = self.loop.call_later(PAGE_SECONDS, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._due.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """Ours has its own way with signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave them alone."""
        yield


@asynccontextmanager
async def serve(make: Callable[[int], ASGIApp], port: int = 0) -> AsyncIterator[int]:
    """Serve an application as long as this lasts; the port. `make` makes it for a port. Raises: LocalError."""
    with _listening(port) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            make(port), loop="none", http=_Connection, ws="none", lifespan="off", log_config=None, access_log=False,
            proxy_headers=False, server_header=False, date_header=False, headers=list(HEADERS),
            limit_concurrency=MAX_PAGE_CONNECTIONS + 1, h11_max_incomplete_event_size=MAX_PAGE_HEADERS,
            timeout_keep_alive=PAGE_SECONDS, timeout_graceful_shutdown=CLOSE_SECONDS,
        )  # fmt: skip
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield port
        finally:
            server.should_exit = True
            await serving


@contextmanager
def _listening(port: int) -> Generator[socket.socket, None, None]:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            raise LocalError("wrong.page", why=str(error.strerror)) from None
        listener.listen()
        yield listener
