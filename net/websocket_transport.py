"""Line through a WebSocket (docs/protocol, 3.6) as a transport of asyncio: the calling side, and
values common to both sides.

Each binary message is one whole frame with its header, so a connection does not depend on its
carrier.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    ProxyError,
)
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event

from net.addresses import is_loopback
from protocol import wire
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.limits import FRAME_HEADER, MAX_FRAME, WEB_PIECE, WEB_SIDE_FRAMES

MAX_WEB_MESSAGE = FRAME_HEADER + MAX_FRAME  # bytes of a frame with its header
PING_SECONDS = 25  # web servers usually disconnect after a minute of silence
# seconds until the path counts as gone; the gap of a mobile line is under 10, and much data may be
# queued before the answer
PONG_SECONDS = 60
CLOSE_SECONDS = 2  # seconds for the other side's last message

CONTROL = (Opcode.PING, Opcode.PONG)

# The library logs bytes from peers, some of them as warnings. This logger drops them.
NULL_LOGGER = logging.Logger("websocket", logging.CRITICAL + 1)

P = TypeVar("P", bound=asyncio.Protocol)


class _BoundedConnection(ClientConnection):
    """A connection that records the time of the last bytes, and ends if the other side makes it
    work beside messages.

    The protocol sees a message only when it is complete, one turn of the loop later. The library
    answers pings and keeps parts of messages without a bound of its own.
    """

    last_received = 0.0  # seconds of the loop's clock
    _paid_at = 0.0  # when all control frames and parts that have come are paid for

    def data_received(self, data: bytes) -> None:
        """Process bytes of one or more messages."""
        self.last_received = self.loop.time()
        for start in range(0, len(data), WEB_PIECE):
            super().data_received(data[start : start + WEB_PIECE])
            if self.transport.is_closing():
                return

    def process_event(self, event: Event) -> None:
        """Process a frame, or the answer to the request."""
        if isinstance(event, Frame) and (event.opcode in CONTROL or not event.fin):
            at_once, per_second = WEB_SIDE_FRAMES
            now = self.loop.time()
            self._paid_at = max(self._paid_at, now) + 1 / per_second
            if self._paid_at - now > at_once / per_second:
                self.transport.abort()
        super().process_event(event)


class _DirectConnect(connect):
    """A connection without redirects: a stranger's server could send the program into its own
    network.
    """

    def process_redirect(self, exc: Exception) -> Exception:
        """Treat a redirect as any other error (the library's own way to refuse it)."""
        return exc


async def connect_websocket(
    link: JoinLink,
    factory: Callable[[], P],
    local: str | None = None,
    pings: tuple[float, float] = (PING_SECONDS, PONG_SECONDS),
    at: str | None = None,
) -> tuple["WebSocketTransport", P]:
    """Connect to a WebSocket, through the proxy of the environment unless it is on this machine.

    `local`: own address to connect from. `pings`: seconds between two pings, and for an
    answer. `at`: IP address to call in place of the one to which the host's name leads, without a
    proxy, which would ask for the name again. Raises: LocalError with the reason; OSError and
    TimeoutError without an answer.
    """
    instead: dict[str, Any] = {} if at is None else {"host": at, "port": link.port}
    try:
        line = await _DirectConnect(
            link.address_text,
            compression=None,
            proxy=None if at is not None or is_loopback(link.host) else True,
            max_size=MAX_WEB_MESSAGE,
            open_timeout=None,
            ping_interval=pings[0],
            ping_timeout=pings[1],
            close_timeout=CLOSE_SECONDS,
            user_agent_header=None,
            logger=NULL_LOGGER,
            create_connection=_BoundedConnection,
            local_addr=(local, 0) if local else None,
            **instead,
        )
    # ImportError: a rare kind of proxy
    except (
        InvalidHandshake,
        InvalidProxy,
        InvalidURI,
        ssl.SSLError,
        ImportError,
    ) as error:
        _raise_explained(link, error)
    assert isinstance(line, _BoundedConnection)
    protocol = factory()
    return WebSocketTransport(line, protocol), protocol


async def open_websocket_streams(
    link: JoinLink, local: str | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect, and return a reader and a writer as for a TCP connection. Raises: as in
    `connect_websocket`.
    """
    reader = asyncio.StreamReader()
    line, protocol = await connect_websocket(
        link, lambda: asyncio.StreamReaderProtocol(reader), local
    )
    return reader, asyncio.StreamWriter(line, protocol, reader, asyncio.get_running_loop())


def _raise_explained(link: JoinLink, error: Exception) -> NoReturn:
    """Raise an error with advice for the person, without any text from a stranger's server."""
    where = link.address_text
    match error:
        case ssl.SSLCertVerificationError():
            raise LocalError("wrong.web.certificate", where=where) from None
        case ssl.SSLError():
            raise LocalError("wrong.web.tls", where=where) from None
        case InvalidProxy() | ProxyError() | ImportError():
            raise LocalError("wrong.web.proxy", where=where) from None
        case InvalidStatus():
            raise LocalError(
                "wrong.web.status", where=where, status=error.response.status_code
            ) from None
    raise LocalError("wrong.web.no_door", where=where) from None


class WebSocketTransport(asyncio.Transport):
    """Own end of a WebSocket for a protocol of asyncio. Data is sent in order, frame by frame."""

    def __init__(self, line: _BoundedConnection, protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._line = line
        self._protocol = protocol
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queued = 0  # bytes
        self._closing = False
        self._most: int | None = None  # bytes in the queue above which the protocol is paused
        self._full = False  # the protocol is paused
        self._reading = asyncio.Event()
        self._reading.set()
        protocol.connection_made(self)
        self._tasks = [asyncio.create_task(each) for each in (self._write_out(), self._read())]

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return a value of the socket's own transport. Behind a proxy, the peer is the proxy.

        The name `heard` gives the time of the last bytes, in seconds of the loop's clock, even for
        incomplete messages.
        """
        if name == "heard":
            return self._line.last_received
        return self._line.transport.get_extra_info(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Queue whole frames."""
        if not self._closing:
            for frame in wire.split_frames(bytes(data)):
                self._queued += len(frame)
                self._waiting.put_nowait(frame)
            if self._most is not None and self._queued > self._most and not self._full:
                self._full = True
                self._protocol.pause_writing()

    def write_eof(self) -> None:
        """Close the connection, since a WebSocket cannot be half closed."""
        self.close()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Tell the protocol when more than `high` bytes are queued; it writes again at a quarter
        of them.
        """
        self._most = high

    def pause_reading(self) -> None:
        """Hand nothing more over. Further messages then wait at the other side, except a few."""
        if not self._closing:
            self._reading.clear()

    def resume_reading(self) -> None:
        """Hand messages over again."""
        self._reading.set()

    def get_write_buffer_size(self) -> int:
        """Return the bytes of whole frames that the system does not have yet."""
        return self._queued

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Change the protocol."""
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the present protocol."""
        return self._protocol

    def is_closing(self) -> bool:
        """Check that nothing more can be written."""
        return self._closing

    def can_write_eof(self) -> bool:
        """Return False: a WebSocket cannot be closed in one direction only."""
        return False

    def close(self) -> None:
        """Close the connection after all queued frames have been sent."""
        if not self._closing:
            self._closing = True
            self._reading.set()
            self._waiting.put_nowait(None)

    def abort(self) -> None:
        """Close the connection at once."""
        self._closing = True
        self._reading.set()
        self._line.transport.abort()

    async def _write_out(self) -> None:
        try:
            while (frame := await self._waiting.get()) is not None:
                await self._line.send(frame)
                self._queued -= len(frame)
                if self._full and self._most is not None and 4 * self._queued <= self._most:
                    self._full = False
                    self._protocol.resume_writing()
            await self._line.close()
        except ConnectionClosed:
            pass  # `_read` notices the end, too

    async def _read(self) -> None:
        try:
            async for message in self._line:
                if isinstance(message, str) or wire.frame_size(message) != len(message):
                    await self._line.close(CloseCode.INVALID_DATA)
                    break
                await self._reading.wait()
                self._protocol.data_received(message)
        except ConnectionClosed:
            pass  # the session notices missing records, however the connection has ended
        finally:
            self._closing = True
            self._tasks[0].cancel()
            self._line.transport.abort()
            self._protocol.connection_lost(None)
