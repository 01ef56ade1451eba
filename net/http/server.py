"""HTTP server with limits: by default only for this machine, at a port that the system may choose.

Anybody on this machine can connect, and so can any page in the browser. If all connections are in
use, the oldest one that is not known to be an own page is closed for a new one. So nobody can keep
the own page out.
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
    """Limits of a server."""

    connections: int = MAX_PAGE_CONNECTIONS  # simultaneous connections
    body: int = MAX_PAGE_BODY  # bytes of a body
    seconds: int = PAGE_SECONDS  # seconds until a request has arrived
    goodbye: float = (
        # seconds at the end for answers in progress, including streams to pages
        PAGE_GOODBYE_SECONDS
    )


class _Config(uvicorn.Config):
    """Configuration of uvicorn with the limits of this server."""

    bounds = ServerBounds()
    ended = False  # no new connections are accepted


class _Connection(H11Protocol):
    """A connection, which is closed if no request arrives in time."""

    config: _Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer, and close an old connection if there are too many."""
        self._make_room()
        super().connection_made(transport)
        self.lost: asyncio.Future[None] = self.loop.create_future()
        self._since = self.loop.time()
        self._unwanted = 0  # bytes received after a refusal
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
        """The last request had a valid token."""
        return self.scope is not None and ADMITTED in self.scope["state"]

    def data_received(self, data: bytes) -> None:
        """Process bytes of a request. Too many bytes after a refusal close the connection."""
        super().data_received(data)
        self._watch()
        self._unwanted += len(data) if self._is_refused else 0
        if self._unwanted > self.config.bounds.body:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer, and report the end of the connection."""
        self._stop_watching()
        super().connection_lost(exc)
        self.lost.set_result(None)

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request with the headers of every answer."""
        headers = [
            (name.encode(), text.encode())
            for name, text in (*self.config.headers, ("Connection", "close"))
        ]
        for event in (h11.Response(status_code=400, headers=headers), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def _is_refused(self) -> bool:
        """A stranger has received the answer and still sends a body, which is not read."""
        return (
            not self.is_answering and not self.has_token and self.conn.their_state is h11.SEND_BODY
        )

    @property
    def is_answering(self) -> bool:
        """An answer is in progress."""
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        """Start or stop the timer. During an answer, the application watches the time itself."""
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
    """Uvicorn's server without its signal handlers and without its ten checks a second: it stops by
    an event.
    """

    def __init__(self, config: _Config) -> None:
        """Create a server that does not listen yet."""
        super().__init__(config)
        self._bounded_config = config
        self._stopped = asyncio.Event()

    @property
    def _connections(self) -> list[_Connection]:
        return [one for one in self.server_state.connections if isinstance(one, _Connection)]

    async def drain(self, seconds: float) -> None:
        """Wait for answers in progress, and abort those that take longer than `seconds`."""
        answering = set(self.server_state.tasks)
        if answering:
            await asyncio.wait(answering, timeout=seconds)
        for connection in self._connections:
            if connection.is_answering:
                connection.transport.abort()

    def stop(self) -> None:
        """Stop the server."""
        self.should_exit = True
        self._stopped.set()

    async def main_loop(self) -> None:
        """Serve until `stop` is called."""
        await self.on_tick(0)
        await self._stopped.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections. Slow readers and unfinished tasks are aborted after
        CLOSE_SECONDS.
        """
        for server in self.servers:
            server.close()
        self._bounded_config.ended = True
        connections = self._connections
        for connection in connections:
            connection.shutdown()
        await _wait_briefly([connection.lost for connection in connections])
        for connection in connections:
            connection.transport.abort()
        await _wait_briefly([connection.lost for connection in connections])
        tasks = list(self.server_state.tasks)
        await _wait_briefly(tasks)
        for task in tasks:
            task.cancel()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals to the program."""
        yield


async def _wait_briefly(waiting: Sequence[asyncio.Future[None]]) -> None:
    """Wait for these for at most CLOSE_SECONDS."""
    if waiting:
        await asyncio.wait(waiting, timeout=CLOSE_SECONDS)


def open_listener(port: int = 0, host: str = HOST) -> socket.socket:
    """Open a listening socket at an IP address of this machine; port 0 means any free port. Raises:
    LocalError.
    """
    # With an explicit protocol number asyncio turns off Nagle's algorithm. Otherwise an answer in
    # two parts waits 40 ms for an acknowledgement.
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
    """Serve an application during the context, with these headers on every answer; then close the
    socket.

    At the end, answers in progress get some time. A page learns from its stream that the server
    ends, and closes its connections after its last requests. Until then these requests must still
    be answered.
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
