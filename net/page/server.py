"""Server of a page for browsers: one request for each connection, answered from memory.

Paths are names of the manifest; the host name of a request does not matter. A visitor costs little.
Arrivals have a rate. Connections are few, and fewer from one address. If there are too many, the one
that has been idle longest makes room, of the address with most of them. Each connection has seconds to
ask and to read. An answer goes out piece by piece, the next one after the system has taken the last.
The bytes for one address have a rate. Standard library only.
"""

import asyncio
import contextlib
import socket
from collections import OrderedDict
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple, Protocol, cast

from net.listener import Listener, ListenerFactory
from net.page.folder import ServedFile
from net.page.manifest import DOCUMENT
from net.page.policy import ANEW, FOREVER, HEADERS
from net.socket_options import drop_unsent_at_close
from protocol.limits import (
    MAX_VISIT_REQUEST,
    MAX_VISITORS,
    MAX_VISITS,
    MAX_VISITS_HERE,
    VISIT_BYTES,
    VISIT_BYTES_PER_SECOND,
    VISIT_PIECE,
    VISIT_REQUEST_SECONDS,
    VISIT_SECONDS,
    VISIT_SEND_BUFFER,
    VISIT_STALL_SECONDS,
)

END = b"\r\n\r\n"
METHODS = (b"GET", b"HEAD")
# the field by which a proxy says for whom it speaks, in small letters
FORWARDED = "x-forwarded-for"


class VisitBounds(NamedTuple):
    """Limits of the server."""

    visits: int = MAX_VISITS
    visits_here: int = MAX_VISITS_HERE
    request_seconds: float = VISIT_REQUEST_SECONDS
    seconds: float = VISIT_SECONDS
    stall_seconds: float = VISIT_STALL_SECONDS
    bytes_at_once: int = VISIT_BYTES
    bytes_per_second: float = VISIT_BYTES_PER_SECOND
    visitors: int = MAX_VISITORS


class Gate(Protocol):
    """Admission of visitors, and the addresses for which they count, as texts."""

    def admits(self, peer: object) -> bytes | None:
        """Decide about a peer that has connected: see `AdmissionCheck`."""

    def address(self, peer: object) -> str | None:
        """Return the address of a peer; None for a proxy, whose request names its client."""

    def forwarded(self, said: str) -> str | HTTPStatus:
        """Return the address of a proxy's client, by X-Forwarded-For, or the status of a refusal."""


class PageServer:
    """Serves files while it is open; requires a running loop. Raises: OSError if it cannot listen."""

    def __init__(
        self,
        host: str,
        port: int,
        files: Mapping[str, ServedFile],
        gate: Gate,
        bounds: VisitBounds | None = None,
        listen: ListenerFactory = Listener,
    ) -> None:
        self.bounds = bounds or VisitBounds()
        self.gate = gate
        self._files = {f"/{name}": file for name, file in files.items()}
        self._files["/"] = files[DOCUMENT]
        # by address, the one that has been idle longest first; proxies whose clients are not known
        # yet are at ""
        self._visits: dict[str, OrderedDict[Visit, None]] = {}
        self.visits = 0  # open connections
        # by address, the least recent first: bytes that it has got beyond its rate, and when
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._listener = listen(host, port, gate.admits, lambda: Visit(self))
        self.host, self.port = self._listener.host, self._listener.port

    @property
    def visitors(self) -> int:
        """Number of addresses whose bytes are counted."""
        return len(self._spent)

    def find(self, path: str) -> ServedFile | None:
        """Return the file at a path."""
        return self._files.get(path)

    def enter(self, visit: "Visit", address: str) -> None:
        """Add a connection; another one makes room for it if there are too many."""
        if not self._open:
            visit.abort()
            return
        here = self._visits.setdefault(address, OrderedDict())
        here[visit] = None
        self.visits += 1
        if len(here) > self.bounds.visits_here:
            self._make_room(address)
        elif self.visits > self.bounds.visits:
            self._make_room(max(self._visits, key=lambda each: len(self._visits[each])))

    def _make_room(self, address: str) -> None:
        idle = next(iter(self._visits[address]))
        self.leave(idle, address)
        idle.abort()

    def touch(self, visit: "Visit", address: str) -> None:
        """Note that a connection is not idle."""
        here = self._visits.get(address)
        if here is not None and visit in here:
            here.move_to_end(visit)

    def leave(self, visit: "Visit", address: str) -> None:
        """Remove a connection."""
        here = self._visits.get(address)
        if here is None or visit not in here:
            return
        del here[visit]
        self.visits -= 1
        if not here:
            del self._visits[address]

    def spend(self, address: str, size: int) -> bool:
        """Count an answer of `size` bytes. Return False if the address has had too much."""
        spent = self._spent_by(address)
        fits = spent + size <= self.bounds.bytes_at_once
        self._spent[address] = (spent + size if fits else spent), self._loop.time()
        if len(self._spent) > self.bounds.visitors:
            self._spent.popitem(last=False)
        return fits

    def give_back(self, address: str, size: int) -> None:
        """Subtract bytes of an answer that have not gone out."""
        if size and address in self._spent:
            self._spent[address] = max(0.0, self._spent_by(address) - size), self._loop.time()

    def _spent_by(self, address: str) -> float:
        now = self._loop.time()
        spent, then = self._spent.pop(address, (0.0, now))
        return max(0.0, spent - (now - then) * self.bounds.bytes_per_second)

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
        self._body = memoryview(b"")  # what has not gone out of the answer
        self._paused = self._hung_up = False
        self._ends = 0.0  # when the answer must have been read
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and begin its time."""
        self._transport = cast(asyncio.Transport, transport)
        # so a piece has gone out before the next one comes
        self._transport.set_write_buffer_limits(high=0)
        line: socket.socket = transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, VISIT_SEND_BUFFER)
        self._address = self._server.gate.address(transport.get_extra_info("peername")) or ""
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

    def eof_received(self) -> bool:
        """Go on with an answer for a visitor who asks nothing more."""
        self._hung_up = True
        return self._answered and len(self._body) > 0

    def pause_writing(self) -> None:
        """Wait until the piece has gone out."""
        self._paused = True

    def resume_writing(self) -> None:
        """Send the next piece."""
        self._paused = False
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and the bytes that have not gone out."""
        if self._timer is not None:
            self._timer.cancel()
        left, self._body = len(self._body), memoryview(b"")
        self._server.give_back(self._address, left)
        self._server.leave(self, self._address)

    def abort(self) -> None:
        """Drop the connection, and what the system has of an answer."""
        drop_unsent_at_close(self._transport.get_extra_info("socket"))
        self._transport.abort()

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self.abort)

    def _answer(self) -> None:
        line, *fields = self._head.split(END, 1)[0].split(b"\r\n")
        method, _, rest = line.partition(b" ")
        path, _, protocol = rest.partition(b" ")
        if not protocol.startswith(b"HTTP/1."):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        asked = _fields(fields)
        if not self._address and not self._learn_client(asked.get(FORWARDED, "")):
            return
        if method not in METHODS:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED)
            return
        file = self._server.find(path.decode("latin-1").partition("?")[0])
        if file is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
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

    def _learn_client(self, said: str) -> bool:
        """Learn from a proxy who its client is. Return False if the connection ends by it."""
        found = self._server.gate.forwarded(said)
        if isinstance(found, HTTPStatus):
            self._refuse(found)
            return False
        self._server.leave(self, self._address)
        self._address = found
        self._server.enter(self, found)
        return not self._transport.is_closing()

    def _send(self, status: HTTPStatus, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send the answer, and close the connection once it has been read."""
        self._answered, self._head = True, b""
        self._ends = self._loop.time() + self._server.bounds.seconds
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers]
        # a view: the bytes are those of all answers
        self._body = memoryview(body)
        self._note_progress()
        self._transport.write("\r\n".join(lines).encode("latin-1") + END)
        self._go_on()

    def _go_on(self) -> None:
        """Send a piece, unless one is on its way; the next one comes in another turn of the loop."""
        if self._paused or self._transport.is_closing():
            return
        self._note_progress()
        if self._body:
            piece, self._body = self._body[:VISIT_PIECE], self._body[VISIT_PIECE:]
            self._transport.write(piece)
            if not self._paused:
                self._loop.call_soon(self._go_on)
        elif self._hung_up:
            self._transport.close()
        else:
            # the connection counts until the visitor has read all, and hangs up
            with contextlib.suppress(OSError):  # gone already
                self._transport.write_eof()

    def _note_progress(self) -> None:
        self._server.touch(self, self._address)
        self._wait(min(self._server.bounds.stall_seconds, self._ends - self._loop.time()))


def _fields(lines: list[bytes]) -> dict[str, str]:
    """Return the header fields by their names in small letters; several of one name are joined."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        name, value = name.strip().lower(), value.strip()
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _accepted(text: str) -> frozenset[str]:
    """Return the encodings that a browser accepts, which are those without `q=0`."""
    found = set()
    for each in text.split(","):
        name, _, weight = each.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            found.add(name.strip().lower())
    return frozenset(found)
