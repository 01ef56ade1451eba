"""A line through a WebSocket (docs/protocol, 3.6) as a transport of asyncio: who calls, and what
both sides agree on.

One binary message is one frame, whole, its header included. So a connection does not know what
carries it.
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

from net.addresses import is_loopback
from protocol import wire
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.limits import FRAME_HEADER, MAX_FRAME

MAX_WEB_MESSAGE = FRAME_HEADER + MAX_FRAME  # bytes
PING_SECONDS = 25  # web servers hang up after a minute of silence, as a rule
# then the way is gone; a mobile line's gap is under 10, and much may be queued before the answer
PONG_SECONDS = 60
CLOSE_SECONDS = 2  # for the other side's last word
NOT_A_FRAME = 1007  # the code of a close (RFC 6455, 7.4.1)

# The library reports what peers have sent, some of it as warnings: to nobody.
NULL_LOGGER = logging.Logger("websocket", logging.CRITICAL + 1)

P = TypeVar("P", bound=asyncio.Protocol)


class _Heard(ClientConnection):
    """Knows when bytes came last: a message is given on when all of it is there, a turn of the loop
    later.
    """

    last_received = 0.0  # seconds of the loop's clock

    def data_received(self, data: bytes) -> None:
        """Bytes have come, of a message or of several."""
        self.last_received = self.loop.time()
        super().data_received(data)


class _Straight(connect):
    """Goes where the link says, and nowhere else: a stranger's server could send us into our own
    network.
    """

    def process_redirect(self, exc: Exception) -> Exception:
        """An error as any other (the library's own way to refuse it)."""
        return exc


async def connect_websocket(
    link: JoinLink, factory: Callable[[], P], local: str | None = None
) -> tuple["WebSocketTransport", P]:
    """Call a WebSocket door, by the proxy that the environment names, unless it is on this machine.

    `local`: which address of our own to come from.

    Raises: LocalError saying what is wrong there; OSError and TimeoutError if nobody answers.
    """
    try:
        line = await _Straight(
            link.address_text,
            compression=None,
            proxy=None if is_loopback(link.host) else True,
            max_size=MAX_WEB_MESSAGE,
            open_timeout=None,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            close_timeout=CLOSE_SECONDS,
            user_agent_header=None,
            logger=NULL_LOGGER,
            create_connection=_Heard,
            local_addr=(local, 0) if local else None,
        )
    except (
        InvalidHandshake,
        InvalidProxy,
        InvalidURI,
        ssl.SSLError,
        ImportError,
    ) as error:  # the last: a proxy of a rare kind
        _explain(link, error)
    assert isinstance(line, _Heard)
    protocol = factory()
    return WebSocketTransport(line, protocol), protocol


async def open_websocket_streams(
    link: JoinLink, local: str | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Call, and have a reader and a writer as of a TCP connection. Raises: as
    `connect_websocket`.
    """
    reader = asyncio.StreamReader()
    line, protocol = await connect_websocket(
        link, lambda: asyncio.StreamReaderProtocol(reader), local
    )
    return reader, asyncio.StreamWriter(line, protocol, reader, asyncio.get_running_loop())


def _explain(link: JoinLink, error: Exception) -> NoReturn:
    """What a person can do about it, without a word of what a stranger's server has said."""
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
    """Our end of a WebSocket, for a protocol of asyncio. What is written goes out in order, frame
    by frame.
    """

    def __init__(self, line: _Heard, protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._line, self._protocol = line, protocol
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queued = 0  # bytes
        self._closing = False
        protocol.connection_made(self)
        self._tasks = [asyncio.create_task(each) for each in (self._write_out(), self._read())]

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """As the socket's own transport has it: with a proxy between, the peer is the proxy. And
        `heard`: when bytes came last, in seconds of the loop's clock, whether or not they were
        given on."""
        if name == "heard":
            return self._line.last_received
        return self._line.transport.get_extra_info(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Queue whole frames."""
        if not self._closing:
            for frame in wire.split_frames(bytes(data)):
                self._queued += len(frame)
                self._waiting.put_nowait(frame)

    def get_write_buffer_size(self) -> int:
        """Bytes that are not with the system yet, of whole frames."""
        return self._queued

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Another one takes over."""
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who is told what comes."""
        return self._protocol

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self._closing

    def can_write_eof(self) -> bool:
        """A WebSocket has no half."""
        return False

    def close(self) -> None:
        """Hang up once everything is sent."""
        if not self._closing:
            self._closing = True
            self._waiting.put_nowait(None)

    def abort(self) -> None:
        """Hang up at once."""
        self._closing = True
        self._line.transport.abort()

    async def _write_out(self) -> None:
        try:
            while (frame := await self._waiting.get()) is not None:
                await self._line.send(frame)
                self._queued -= len(frame)
            await self._line.close()
        except ConnectionClosed:
            """Who reads hears of it."""

    async def _read(self) -> None:
        try:
            async for message in self._line:
                if isinstance(message, str) or wire.frame_size(message) != len(message):
                    await self._line.close(NOT_A_FRAME)
                    break
                self._protocol.data_received(message)
        except ConnectionClosed:
            """However it has ended: what is missing, the session knows."""
        finally:
            self._closing = True
            self._tasks[0].cancel()
            self._line.transport.abort()
            self._protocol.connection_lost(None)
