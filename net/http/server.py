"""The server: to this machine alone unless it is told otherwise, at a port that the system may
choose, within bounds.

Anybody on this machine can connect, and so can any page in the browser. While there are as many
connections as there may be, those that are not known to be a page of ours give way to the next one,
the oldest first: nobody can keep our page out.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from net.http.policy import ADMITTED, HOST, Headers
from protocol.errors import LocalError
from protocol.limits import (
    MAX_PAGE_BODY,
    MAX_PAGE_CONNECTIONS,
    MAX_PAGE_HEADERS,
    PAGE_GOODBYE_SECONDS,
    PAGE_SECONDS,
)

CLOSE_SECONDS = 1  # for answers to go out whose readers are slow


class ServerBounds(NamedTuple):
    """What a server takes at the most."""

    connections: int = MAX_PAGE_CONNECTIONS  # at once
    body: int = MAX_PAGE_BODY  # bytes
    seconds: int = PAGE_SECONDS  # until a request is there
    goodbye: float = (
        # seconds for those who are being answered when it ends, pages that listen too
        PAGE_GOODBYE_SECONDS
    )


class _Config(uvicorn.Config):
    """Uvicorn's own, with our bounds."""

    bounds = ServerBounds()
    ended = False  # nobody is let in any more


class _Connection(H11Protocol):
    """One connection; one on which no request comes in time is closed."""

    config: _Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the time."""
        self._make_room()
        super().connection_made(transport)
        self.lost: asyncio.Future[None] = self.loop.create_future()
        self._since = self.loop.time()
        self._unwanted = 0  # bytes
        self._due: asyncio.TimerHandle | None = None
        self._watch()
        if self.config.ended:
            transport.abort()

    def _make_room(self) -> None:
        open_ = [
            one
            for one in self.connections
            if isinstance(one, _Connection) and not one.transport.is_closing()
        ]
        strangers = [one for one in open_ if not one.has_token]
        if len(open_) >= self.config.bounds.connections and strangers:
            min(strangers, key=lambda one: one._since).transport.abort()

    @property
    def has_token(self) -> bool:
        """Whether its last request had a token of ours."""
        return self.scope is not None and ADMITTED in self.scope["state"]

    def data_received(self, data: bytes) -> None:
        """Bytes of a request, or of the next one."""
        super().data_received(data)
        self._watch()
        self._unwanted += len(data) if self._is_refused else 0
        if self._unwanted > self.config.bounds.body:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._stop_watching()
        super().connection_lost(exc)
        self.lost.set_result(None)

    def send_400_response(self, msg: str) -> None:
        """What is no request gets the headers of every answer, too."""
        headers = [
            (name.encode(), text.encode())
            for name, text in (*self.config.headers, ("Connection", "close"))
        ]
        for event in (h11.Response(status_code=400, headers=headers), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def _is_refused(self) -> bool:
        """Whether a stranger has the answer already, and still sends what it asked with: nobody
        reads that.
        """
        return (
            not self.is_answering and not self.has_token and self.conn.their_state is h11.SEND_BODY
        )

    @property
    def is_answering(self) -> bool:
        """Whether something is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        """While a request is answered, whoever answers looks to the time."""
        if self.is_answering:
            self._stop_watching()
        elif self._due is None:
            self._due = self.loop.call_later(self.timeout_keep_alive, self._close)

    def _stop_watching(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _close(self) -> None:
        self._due = None
        if not self.is_answering:
            self.transport.close()


class _Server(uvicorn.Server):
    """Ours has its own way with signals, and of what ends it is told: it looks at nothing ten times
    a second.
    """

    def __init__(self, config: _Config) -> None:
        """Nothing is served yet."""
        super().__init__(config)
        self._ours = config
        self._told = asyncio.Event()

    @property
    def _connections(self) -> list[_Connection]:
        return [one for one in self.server_state.connections if isinstance(one, _Connection)]

    async def drain(self, seconds: float) -> None:
        """Wait for all answers that are being given; those that take longer are broken off."""
        answering = set(self.server_state.tasks)
        if answering:
            await asyncio.wait(answering, timeout=seconds)
        for connection in self._connections:
            if connection.is_answering:
                connection.transport.abort()

    def stop(self) -> None:
        """Serve no longer."""
        self.should_exit = True
        self._told.set()

    async def main_loop(self) -> None:
        """Serve until it is told."""
        await self.on_tick(0)
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Hang up on everybody; on who does not read, and on what is still thought about, after a
        while.
        """
        for server in self.servers:
            server.close()
        self._ours.ended = True
        connections = self._connections
        for connection in connections:
            connection.shutdown()
        await _settled([connection.lost for connection in connections])
        for connection in connections:
            connection.transport.abort()
        await _settled([connection.lost for connection in connections])
        tasks = list(self.server_state.tasks)
        await _settled(tasks)
        for task in tasks:
            task.cancel()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave them alone."""
        yield


async def _settled(waiting: Sequence[asyncio.Future[None]]) -> None:
    """Wait for these, but not for long."""
    if waiting:
        await asyncio.wait(waiting, timeout=CLOSE_SECONDS)


def open_listener(port: int = 0, host: str = HOST) -> socket.socket:
    """A socket at a port (0: any that is free) of an address of this machine, by number. Raises:
    LocalError.
    """
    # By its protocol asyncio knows that it may send at once; else an answer in two parts waits 40
    # ms for an echo.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise LocalError("wrong.page", why=str(error.strerror)) from None
    return listener


@asynccontextmanager
async def serve(
    app: ASGIApp, listener: socket.socket, headers: Headers, bounds: ServerBounds | None = None
) -> AsyncIterator[None]:
    """Serve an application as long as this lasts, with these headers on every answer; then the
    socket is closed.

    First whoever is being answered has time to hear it: a page to which a stream tells the end
    hangs up when it has nothing more to ask, and until then it is answered. Else its last question
    would find nobody.
    """
    bounds = bounds or ServerBounds()
    config = _Config(
        app,
        loop="none",
        http=_Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        headers=list(headers),
        backlog=bounds.connections,
        limit_concurrency=bounds.connections + 1,
        h11_max_incomplete_event_size=MAX_PAGE_HEADERS,
        timeout_keep_alive=bounds.seconds,
    )
    config.bounds = bounds
    server = _Server(config)
    with listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield
        finally:
            await server.drain(bounds.goodbye)
            server.stop()
            await serving
