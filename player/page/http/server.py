"""The server: to this machine alone, at a port that the system chooses, and within bounds.

Anybody on this machine can connect, and so can any page in the browser. While there are as many connections as there
may be, those without a token of ours give way to the next one, the oldest first: nobody can keep our page out.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from player.page.http.access import ADMITTED, HEADERS
from protocol.errors import LocalError
from protocol.limits import MAX_PAGE_BODY, MAX_PAGE_CONNECTIONS, MAX_PAGE_HEADERS, PAGE_SECONDS

HOST = "127.0.0.1"
CLOSE_SECONDS = 1  # for streams to be told of the end


class _Connection(H11Protocol):
    """One connection; one on which no request comes in time is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the time."""
        self._make_room()
        super().connection_made(transport)
        self._since = self.loop.time()
        self._unwanted = 0  # bytes
        self._due: asyncio.TimerHandle | None = None
        self._watch()

    def _make_room(self) -> None:
        open_ = [one for one in self.connections if isinstance(one, _Connection) and not one.transport.is_closing()]
        strangers = [one for one in open_ if not one.admitted]
        if len(open_) >= MAX_PAGE_CONNECTIONS and strangers:
            min(strangers, key=lambda one: one._since).transport.abort()

    @property
    def admitted(self) -> bool:
        """Whether its last request had a token of ours."""
        return self.scope is not None and ADMITTED in self.scope["state"]

    def data_received(self, data: bytes) -> None:
        """Bytes of a request, or of the next one."""
        super().data_received(data)
        self._watch()
        self._unwanted += len(data) if self._is_refused else 0
        if self._unwanted > MAX_PAGE_BODY:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._stop_watching()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is no request gets the headers of every answer, too."""
        headers = [(name.encode(), text.encode()) for name, text in (*HEADERS, ("Connection", "close"))]
        for event in (h11.Response(status_code=400, headers=headers), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def _is_refused(self) -> bool:
        """Whether a stranger has the answer already, and still sends what it asked with: nobody reads that."""
        return not self._busy and not self.admitted and self.conn.their_state is h11.SEND_BODY

    @property
    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _watch(self) -> None:
        """While a request is answered, whoever answers looks to the time."""
        if self._busy:
            self._stop_watching()
        elif self._due is None:
            self._due = self.loop.call_later(self.timeout_keep_alive, self._close)

    def _stop_watching(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _close(self) -> None:
        self._due = None
        if not self._busy:
            self.transport.close()


class _Server(uvicorn.Server):
    """Ours has its own way with signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave them alone."""
        yield


def listening(port: int = 0) -> socket.socket:
    """A socket at a port of this machine, for this machine; 0: any that is free. Raises: LocalError."""
    # By its protocol asyncio knows that it may send at once; else an answer in two parts waits 40 ms for an echo.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise LocalError("wrong.page", why=str(error.strerror)) from None
    return listener


@asynccontextmanager
async def serve(app: ASGIApp, listener: socket.socket, seconds: int = PAGE_SECONDS) -> AsyncIterator[None]:
    """Serve an application as long as this lasts; then the socket is closed. `seconds`: that a request may take."""
    config = uvicorn.Config(
        app, loop="none", http=_Connection, ws="none", lifespan="off",
        log_config=None, log_level="error", access_log=False,
        proxy_headers=False, server_header=False, date_header=False, headers=list(HEADERS),
        backlog=MAX_PAGE_CONNECTIONS, limit_concurrency=MAX_PAGE_CONNECTIONS + 1,
        h11_max_incomplete_event_size=MAX_PAGE_HEADERS,
        timeout_keep_alive=seconds, timeout_graceful_shutdown=2 * CLOSE_SECONDS,
    )  # fmt: skip
    server = _Server(config)
    with listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield
        finally:
            server.should_exit = True
            await asyncio.wait({serving}, timeout=CLOSE_SECONDS)
            for connection in server.server_state.connections:  # of whoever does not read
                connection.transport.abort()
            await serving
