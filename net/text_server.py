"""Minimal HTTP server for one text at one path, for programs on this machine. Standard library only.

A client costs little: connections are few, the newest pushes out the oldest, each has seconds to ask
and to read, and a text is made at most once a second.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

from net.listener import Listener
from protocol.limits import (
    MAX_TEXT_CONNECTIONS,
    MAX_TEXT_REQUEST,
    TEXT_KEPT_SECONDS,
    TEXT_SECONDS,
)

END = b"\r\n\r\n"


class TextServer:
    """Serves what `text` returns at `path` while it is open; requires a running loop.

    Raises: OSError if it cannot listen.
    """

    def __init__(
        self,
        host: str,
        port: int,
        path: str,
        kind: str,
        text: Callable[[], bytes],
        seconds: float = TEXT_SECONDS,
    ) -> None:
        """`kind`: the content type of the text; `seconds`: for a whole request and its answer."""
        self.path, self.kind, self._text, self.seconds = path, kind, text, seconds
        self._kept: tuple[float, bytes] | None = None
        self._loop = asyncio.get_running_loop()
        self.requests: dict[TextRequest, None] = {}  # the oldest first
        self._listener = Listener(host, port, lambda peer: None, lambda: TextRequest(self))
        self.port = self._listener.port

    def text(self) -> bytes:
        """Return the text, not older than TEXT_KEPT_SECONDS."""
        now = self._loop.time()
        if self._kept is None or now - self._kept[0] >= TEXT_KEPT_SECONDS:
            self._kept = now, self._text()
        return self._kept[1]

    def enter(self, request: "TextRequest") -> None:
        """Count a connection; the oldest makes room for it."""
        self.requests[request] = None
        if not self._listener.open:
            request.abort()
        elif len(self.requests) > MAX_TEXT_CONNECTIONS:
            oldest = next(iter(self.requests))
            del self.requests[oldest]
            oldest.abort()

    def close(self) -> None:
        """Listen no more, and drop all connections."""
        self._listener.close()
        for request in list(self.requests):
            request.abort()


class TextRequest(asyncio.Protocol):
    """One connection: one request, one answer."""

    def __init__(self, server: TextServer) -> None:
        self._server = server
        self._head = b""
        self._answered = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and start its time."""
        self._transport = cast(asyncio.Transport, transport)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._server.seconds, self._transport.abort)
        self._server.enter(self)

    def data_received(self, data: bytes) -> None:
        """Read the request, and answer it. What follows it is ignored."""
        if self._answered:
            return
        self._head += data
        if END in self._head or b"\n\n" in self._head:
            self._answer(*self._response())
        elif len(self._head) > MAX_TEXT_REQUEST:
            self._answer(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, b"")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._timer is not None:
            self._timer.cancel()
        self._server.requests.pop(self, None)

    def abort(self) -> None:
        """Drop the connection."""
        self._transport.abort()

    def _response(self) -> tuple[HTTPStatus, bytes]:
        method, _, rest = self._head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED, b""
        if path not in (self._server.path, "/"):
            return HTTPStatus.NOT_FOUND, b""
        return HTTPStatus.OK, self._server.text()

    def _answer(self, status: HTTPStatus, body: bytes) -> None:
        self._answered, self._head = True, b""
        is_ok = status is HTTPStatus.OK
        content = body if is_ok else f"{status.phrase}\n".encode()
        lines = (
            f"HTTP/1.1 {status.value} {status.phrase}",
            f"Content-Type: {self._server.kind if is_ok else 'text/plain'}",
            f"Content-Length: {len(content)}",
            "Connection: close",
        )
        self._transport.write("\r\n".join(lines).encode() + END + content)
        self._transport.close()
