"""Server of a page for browsers: one request a connection, answered from memory.

A path is looked up among the names of the manifest, and the host name of a request is not looked at.
Whoever connects costs little: connections are few and fewer from one address, the oldest of the
address with most makes room, each has seconds to ask and to read, and the bytes that one address gets
have a rate. Standard library only.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple, Protocol, cast

from net.listener import AdmissionCheck, Listener, ProtocolFactory
from net.page.folder import ServedFile
from net.page.manifest import DOCUMENT
from net.page.policy import ANEW, FOREVER, HEADERS
from protocol.limits import (
    MAX_VISIT_REQUEST,
    MAX_VISITORS,
    MAX_VISITS,
    MAX_VISITS_HERE,
    VISIT_BYTES,
    VISIT_BYTES_PER_SECOND,
    VISIT_REQUEST_SECONDS,
    VISIT_SECONDS,
)

END = b"\r\n\r\n"
METHODS = (b"GET", b"HEAD")


class VisitBounds(NamedTuple):
    """Limits of the server."""

    visits: int = MAX_VISITS
    visits_here: int = MAX_VISITS_HERE
    request_seconds: float = VISIT_REQUEST_SECONDS
    seconds: float = VISIT_SECONDS
    bytes_at_once: int = VISIT_BYTES
    bytes_per_second: float = VISIT_BYTES_PER_SECOND
    visitors: int = MAX_VISITORS


class Listening(Protocol):
    """An open listener."""

    host: str
    port: int

    def close(self) -> None:
        """Accept no more connections."""


Listen = Callable[[str, int, AdmissionCheck, ProtocolFactory], Listening]


class PageServer:
    """Serves files while it is open; requires a running loop. Raises: OSError if it cannot listen.

    `group` returns the address that a peer counts for.
    """

    def __init__(
        self,
        host: str,
        port: int,
        files: Mapping[str, ServedFile],
        group: Callable[[object], str],
        bounds: VisitBounds | None = None,
        listen: Listen = Listener,
    ) -> None:
        self.bounds = bounds or VisitBounds()
        self.group = group
        self._files = {f"/{name}": file for name, file in files.items()}
        self._files["/"] = files[DOCUMENT]
        self._visits: dict[str, OrderedDict[Visit, None]] = {}  # by address, the oldest first
        # by address, the least recent first: bytes that it has got beyond its rate, and when
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._listener = listen(host, port, lambda peer: None, lambda: Visit(self))
        self.host, self.port = self._listener.host, self._listener.port

    @property
    def visits(self) -> int:
        """Number of open connections."""
        return sum(map(len, self._visits.values()))

    @property
    def visitors(self) -> int:
        """Number of addresses whose bytes are counted."""
        return len(self._spent)

    def find(self, path: str) -> ServedFile | None:
        """Return the file at a path."""
        return self._files.get(path)

    def enter(self, visit: "Visit", address: str) -> None:
        """Count a connection; an older one makes room for it if there are too many."""
        if not self._open:
            visit.abort()
            return
        here = self._visits.setdefault(address, OrderedDict())
        here[visit] = None
        if len(here) > self.bounds.visits_here:
            self._drop_oldest(address)
        elif self.visits > self.bounds.visits:
            self._drop_oldest(max(self._visits, key=lambda each: len(self._visits[each])))

    def _drop_oldest(self, address: str) -> None:
        oldest = next(iter(self._visits[address]))
        self.leave(oldest, address)
        oldest.abort()

    def leave(self, visit: "Visit", address: str) -> None:
        """Count a connection no more."""
        here = self._visits.get(address)
        if here is not None:
            here.pop(visit, None)
            if not here:
                del self._visits[address]

    def spend(self, address: str, size: int) -> bool:
        """Count an answer of `size` bytes; False if the address has had too much."""
        now, bounds = self._loop.time(), self.bounds
        spent, then = self._spent.pop(address, (0.0, now))
        spent = max(0.0, spent - (now - then) * bounds.bytes_per_second)
        fits = spent + size <= bounds.bytes_at_once
        self._spent[address] = (spent + size if fits else spent), now
        if len(self._spent) > bounds.visitors:
            self._spent.popitem(last=False)
        return fits

    def close(self) -> None:
        """Listen no more, and drop all connections."""
        self._open = False
        self._listener.close()
        for here in list(self._visits.values()):
            for visit in list(here):
                visit.abort()


class Visit(asyncio.Protocol):
    """One connection: one request, one answer."""

    def __init__(self, server: PageServer) -> None:
        self._server = server
        self._head = b""
        self._answered = False
        self._address = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and begin its time."""
        self._transport = cast(asyncio.Transport, transport)
        self._address = self._server.group(transport.get_extra_info("peername"))
        self._wait(self._server.bounds.request_seconds)
        self._server.enter(self, self._address)

    def data_received(self, data: bytes) -> None:
        """Take in bytes of the request; what follows it is ignored."""
        if self._answered:
            return
        self._head += data
        if len(self._head) > MAX_VISIT_REQUEST:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif END in self._head:
            self._answer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._server.leave(self, self._address)

    def abort(self) -> None:
        """Drop the connection."""
        self._transport.abort()

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, self._transport.abort)

    def _answer(self) -> None:
        line, *fields = self._head.split(END, 1)[0].split(b"\r\n")
        method, _, rest = line.partition(b" ")
        path, _, protocol = rest.partition(b" ")
        if not protocol.startswith(b"HTTP/1."):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        if method not in METHODS:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED)
            return
        file = self._server.find(path.decode("latin-1").partition("?")[0])
        if file is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        asked = _fields(fields)
        headers = [
            ("Content-Type", file.kind),
            ("ETag", file.etag),
            ("Cache-Control", FOREVER if file.is_fixed else ANEW),
            ("Vary", "Accept-Encoding"),
            *HEADERS,
        ]
        if file.etag in (each.strip() for each in asked.get("if-none-match", "").split(",")):
            self._send(HTTPStatus.NOT_MODIFIED, headers, b"")
            return
        accepted = _accepted(asked.get("accept-encoding", ""))
        encoding = next((each for each in file.packed if each in accepted), "")
        body = file.packed[encoding] if encoding else file.data
        if encoding:
            headers.append(("Content-Encoding", encoding))
        headers.append(("Content-Length", str(len(body))))
        body = b"" if method == b"HEAD" else body
        if not self._server.spend(self._address, len(body)):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)
            return
        self._send(HTTPStatus.OK, headers, body)

    def _refuse(self, status: HTTPStatus) -> None:
        body = f"{status.phrase}\n".encode()
        kind = ("Content-Type", "text/plain; charset=utf-8")
        self._send(status, [kind, ("Content-Length", str(len(body))), *HEADERS], body)

    def _send(self, status: HTTPStatus, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send the answer, and close the connection once it has been read."""
        self._answered, self._head = True, b""
        self._wait(self._server.bounds.seconds)
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers]
        self._transport.write("\r\n".join(lines).encode("latin-1") + END)
        # a view: the bytes are those of all answers
        self._transport.write(memoryview(body))
        self._transport.close()


def _fields(lines: list[bytes]) -> dict[str, str]:
    """Return the header fields by their names in small letters; several of one name are joined."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        name, value = name.strip().lower(), value.strip()
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _accepted(text: str) -> frozenset[str]:
    """Return the encodings that a browser accepts; one with `q=0` it does not."""
    found = set()
    for each in text.split(","):
        name, _, weight = each.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            found.add(name.strip().lower())
    return frozenset(found)
