"""WebSocket listener (docs/protocol, 3.6): a connection as any other, with each frame in a binary
message.

The WebSocket protocol is the library's, without its sockets. `Connection` sees frames alone: it
counts, throttles, bounds the queue and cuts off peers that do not read.
"""

import asyncio
from collections.abc import Iterable
from enum import IntEnum
from http import HTTPStatus
from typing import cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import Event, State
from websockets.server import ServerProtocol
from websockets.typing import Origin

from net.websocket_request import NotARequest, head_size
from net.websocket_transport import MAX_WEB_MESSAGE, NULL_LOGGER
from protocol import wire
from protocol.codes import Code
from protocol.limits import FRAME_HEADER, MAX_UPGRADE
from table.config import Ways
from table.net.addresses import address_group, address_of, counted_address
from table.net.admission import Refusal
from table.net.connection import Connection, SharedBufferProtocol
from table.net.listeners.pending_proxied import PendingProxied, ProxyAdmission
from table.net.listeners.trusted_proxies import TrustedProxies
from table.net.listeners.websocket_transport import WebSocketTransport

DATA = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)
# bytes from which on a frame's length takes two more, and eight (RFC 6455, 5.2)
SMALL, MEDIUM = 126, 65_536
# bytes taken apart before it is asked whether the peer has sent too much: 340 empty pings, 3 ms
PIECE = 2_048


class _Stage(IntEnum):
    REQUEST = 0  # the request is not there whole
    OPEN = 1
    SHUT = 2  # refused, broken or closed: nothing that comes is looked at


class WebSocketListener(SharedBufferProtocol):
    """Protocol of one WebSocket connection."""

    def __init__(
        self,
        desk: ProxyAdmission,
        loop: asyncio.AbstractEventLoop,
        ways: Ways,
        proxies: tuple[TrustedProxies, PendingProxied],
        refusal: Refusal | None = None,
    ) -> None:
        """`ways`: the path, and the origins of pages that may connect; a client that is no page has no
        origin. `proxies`: the named ones, and their connections whose clients are not known yet.
        `refusal`: the reason why there is no place for it, if that is known already.
        """
        self._refusal = refusal
        self._desk, self._loop, self._path = desk, loop, ways.path
        self._named, self._waiting = proxies
        self._web = ServerProtocol(
            origins=[None, *map(Origin, ways.origins)],
            max_size=MAX_WEB_MESSAGE,
            logger=NULL_LOGGER,
        )
        self._stage = _Stage.REQUEST
        self._head = b""
        # None while it is not known for whom the proxy speaks
        self._connection: Connection | None = None
        # bytes that have come of a frame of the WebSocket's that has not come whole
        self._pending = 0
        self._message = b""  # the first bytes of a message, as many as a frame's header has
        self._size = 0  # bytes of that message, so far
        self._rest = b""  # what has come, and has to wait

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Tell a named proxy from a direct client."""
        self._transport = cast(asyncio.Transport, transport)
        self._line = WebSocketTransport(self._transport, self._web, self.go_on)
        peer = transport.get_extra_info("peername")
        if self._named and peer is None:  # gone already, and nobody can say whether it was a proxy
            self._transport.abort()
        elif self._named.has(address_of(peer)):
            self._waiting.enter(self._transport, self._loop)
        elif not self._named.may_have(counted_address(peer)):
            self._enter(counted_address(peer), self._refusal)
        elif not self._admit(counted_address(peer)):
            self._transport.abort()

    def received(self, data: memoryview | bytes) -> None:
        """Read the request, and then frames."""
        if self._stage is _Stage.OPEN:
            self._take(bytes(data))
        elif self._stage is _Stage.REQUEST and not self._transport.is_closing():
            self._head += data
            try:
                size = head_size(self._head)
            except NotARequest:
                self._shut()
                return
            if size is not None:
                self._ask(size)
            elif len(self._head) > MAX_UPGRADE:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def eof_received(self) -> None:
        """Pass on that the peer has hung up."""
        self._stage = _Stage.SHUT
        if self._connection is not None:
            self._connection.eof_received()

    def pause_writing(self) -> None:
        """Pass on that the peer reads too slowly."""
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the peer has read."""
        if self._connection is not None:
            self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on that the socket is closed."""
        self._stage = _Stage.SHUT
        self._waiting.leave(self._transport)
        if self._connection is not None:
            self._connection.connection_lost(exc)

    # --- the request ---

    def _admit(self, address: str) -> bool:
        comes, refusal = self._desk.judge_arrival(address)
        if comes:
            self._enter(address, refusal)
        return comes

    def _enter(self, address: str, refusal: Refusal | None) -> None:
        self._waiting.leave(self._transport)
        self._connection = Connection(self._desk, self._loop, address, refusal)
        self._connection.connection_made(self._line)

    def _ask(self, end: int) -> None:
        """Answer the request, which ends at `end`; what follows it are frames."""
        head, self._head = self._head, b""
        self._web.receive_data(head[:end])
        events = self._web.events_received()
        if not events:  # no HTTP: the library has answered already
            self._shut()
            return
        request = cast(Request, events[0])
        status = self._judge(request)
        if status is not None:
            self._refuse(status)
            return
        response = self._web.accept(request)
        self._web.send_response(response)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self._shut()
            return
        self._line.flush()
        self._stage = _Stage.OPEN
        self._take(head[end:])

    def _judge(self, request: Request) -> HTTPStatus | None:
        """Check the path, and learn from a proxy who its client is. Return the status of a refusal, if
        any. The library checks all else.
        """
        if request.path != self._path:
            return HTTPStatus.NOT_FOUND
        said = request.headers.get_all("X-Forwarded-For")
        if self._connection is not None:
            peer = self._transport.get_extra_info("peername")
            self._named.notice(peer, said, self._loop.time())
            return None
        host = self._named.forwarded(said)
        if host is None:
            self._named.warn("X-Forwarded-For", self._loop.time())
            return HTTPStatus.BAD_REQUEST
        return None if self._admit(address_group(host)) else HTTPStatus.SERVICE_UNAVAILABLE

    def _refuse(self, status: HTTPStatus) -> None:
        self._web.send_response(self._web.reject(status, f"{status.phrase}\n"))
        self._shut()

    def _shut(self) -> None:
        """Send what the library has left to send, and close. A peer that does not read it is cut off
        by the deadline of newcomers.
        """
        self._stage = _Stage.SHUT
        self._line.flush()
        self._transport.close()

    # --- frames ---

    def _take(self, data: bytes) -> None:
        """Process bytes as far as the rates allow. The rest waits, and reading pauses."""
        connection = self._connection
        assert connection is not None
        self._rest = self._rest + data if self._rest else data
        while (
            self._rest
            and self._stage is _Stage.OPEN
            and not (connection.open and connection.intake.waiting)
        ):
            piece, self._rest = self._rest[:PIECE], self._rest[PIECE:]
            self._feed(connection, piece)
            if self._rest and not connection.open:  # it ends, without a close record
                self._stage = _Stage.SHUT

    def go_on(self) -> None:
        """Process the bytes that had to wait, and then read again."""
        self._take(b"")
        if not self._rest or self._stage is not _Stage.OPEN:
            self._transport.resume_reading()

    def _feed(self, connection: Connection, data: bytes) -> None:
        """Give the connection the contents of these frames in one piece, as a socket would."""
        web = self._web
        web.receive_data(data)
        frames = _frames(web.events_received())
        self._pending += len(data) - sum(map(_length, frames))
        whole, parts, code = self._parts(frames)
        if connection.open:
            if len(frames) > whole:  # pings and small pieces cost what a frame costs
                connection.charge(len(frames) - whole)
            connection.received(b"".join(parts), self._pending > 0)
        if web.parser_exc is not None:
            self._stage = _Stage.SHUT
        if code or web.parser_exc is not None:
            self._line.close_code = code or self._line.close_code
            connection.protocol_error(Code.FRAME_SIZE)
        self._line.flush()
        if web.state is not State.OPEN and web.close_rcvd is not None:
            self.eof_received()

    def _parts(self, frames: Iterable[Frame]) -> tuple[int, list[bytes], CloseCode | None]:
        """Return the number of messages that end in these frames, their contents, and the code of a
        close if a frame is not acceptable.
        """
        whole = 0
        parts: list[bytes] = []
        for frame in frames:
            if frame.opcode is Opcode.TEXT:
                return whole, parts, CloseCode.UNSUPPORTED_DATA
            if frame.opcode not in DATA:
                continue
            self._message = (self._message + bytes(frame.data[:FRAME_HEADER]))[:FRAME_HEADER]
            self._size += len(frame.data)
            if frame.fin and self._size != wire.frame_size(self._message):
                return whole, parts, CloseCode.INVALID_DATA
            parts.append(bytes(frame.data))
            if frame.fin:
                whole += 1
                self._message, self._size = b"", 0
        return whole, parts, None


def _frames(events: Iterable[Event]) -> list[Frame]:
    return [event for event in events if isinstance(event, Frame)]


def _length(frame: Frame) -> int:
    """Return the size of a peer's frame in bytes, with the shortest form of its length. Peers mask
    all frames.
    """
    size = len(frame.data)
    return 2 + (0 if size < SMALL else 2 if size < MEDIUM else 8) + 4 + size
