"""Line of a tab to a table: the browser's own WebSocket as a transport of asyncio.

The browser answers pings, checks certificates, and sends the origin of the page. Each binary message
is one whole frame with its header (docs/protocol, 3.6).

A frame may depend on files: what a seat has signed must be stored before anybody sees it. So a frame
is sent only after all files that were written before it are stored.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Any, Protocol

import js
from pyodide.ffi import JsException, create_proxy, to_js

from player.client.connection import CONNECT_SECONDS, Connection, Listener
from protocol import wire
from protocol.errors import LocalError
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import FRAME_HEADER, MAX_FRAME
from protocol.session.session import PROLOGUE, Role, Session
from protocol.session.ticket import Ticket

NORMAL = 1000  # close code (RFC 6455, 7.4.1)
NOT_A_FRAME = 3007  # for 1007: of the codes below 3000, a page may send only 1000
MAX_WEB_MESSAGE = FRAME_HEADER + MAX_FRAME  # bytes of a frame with its header
EVENTS = ("open", "message", "close")


class Storage(Protocol):
    """The storage of a tab's files (`fairdeal_storage`)."""

    def dirty(self) -> bool:
        """Check that a file has changed and is not stored yet."""

    def flush(self) -> Awaitable[None]:
        """Store all changed files. Raises: JsException if the storage fails, or if another tab has
        taken it over.
        """


class WebSocketTransport(asyncio.Transport):
    """End of a WebSocket of the browser, for a protocol of asyncio.

    `on_failure` is called if the storage fails. Nothing is sent after that.
    """

    def __init__(
        self,
        address: str,
        protocol: asyncio.Protocol,
        storage: Storage,
        on_failure: Callable[[JsException], None],
    ) -> None:
        super().__init__()
        self._protocol = protocol
        self._storage = storage
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[bool] = self._loop.create_future()
        self._closing = False
        self._heard = 0.0
        self._frames: deque[bytes] = deque()  # frames that wait for the storage
        self._storing: asyncio.Task[None] | None = None
        self._socket = js.WebSocket.new(address)
        self._socket.binaryType = "arraybuffer"
        self._handlers = {name: create_proxy(getattr(self, f"_on_{name}")) for name in EVENTS}
        for name, handler in self._handlers.items():
            self._socket.addEventListener(name, handler)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the time of the last bytes for the name `heard`; a tab knows nothing else."""
        return self._heard if name == "heard" else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send whole frames, in order, as soon as all files of this moment are stored."""
        if self._closing:
            return
        self._frames.extend(wire.split_frames(bytes(data)))
        if self._storing is not None or not self._frames:
            return
        if self._storage.dirty():
            self._storing = self._loop.create_task(self._send_when_stored())
        else:
            self._send(len(self._frames))

    async def _send_when_stored(self) -> None:
        try:
            while self._frames:
                # frames that come while the files are stored may depend on newer files
                count = len(self._frames)
                if self._storage.dirty():
                    await self._storage.flush()
                self._send(count)
        except JsException as error:
            self.abort()
            self._on_failure(error)
        finally:
            self._storing = None
        if self._closing:
            self._socket.close(NORMAL)

    def _send(self, count: int) -> None:
        for _ in range(min(count, len(self._frames))):
            self._socket.send(to_js(self._frames.popleft()))

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that wait for the storage, or that the browser has not sent."""
        return sum(map(len, self._frames)) + int(self._socket.bufferedAmount)

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
        """Close the connection after all frames have been sent."""
        self._closing = True
        if self._storing is None:
            self._socket.close(NORMAL)

    def abort(self) -> None:
        """Close the connection. Frames that wait are dropped, as is everything that still comes."""
        self._closing = True
        self._frames.clear()
        self._socket.close(NORMAL)
        self._end()

    def _on_open(self, _: object) -> None:
        if not self._closing:
            self.opened.set_result(True)
            self._protocol.connection_made(self)

    def _on_message(self, event: Any) -> None:
        self._heard = self._loop.time()
        if self._closing:
            return
        # the browser has the whole message in its memory, whatever its length: it gets no copy here
        if isinstance(event.data, str) or event.data.byteLength > MAX_WEB_MESSAGE:
            self._refuse()
            return
        message = event.data.to_bytes()
        if not message or wire.frame_size(message) != len(message):
            self._refuse()
            return
        self._protocol.data_received(message)

    def _on_close(self, _: object) -> None:
        self._closing = True
        self._frames.clear()
        self._end()

    def _refuse(self) -> None:
        """Hang up on a table that sends something else than a frame."""
        self._closing = True
        self._frames.clear()
        self._socket.close(NOT_A_FRAME)
        self._end()

    def _end(self) -> None:
        """Tell the protocol once, in a later turn of the loop."""
        if not self._handlers:
            return
        for name, handler in self._handlers.items():
            self._socket.removeEventListener(name, handler)
        handlers = self._handlers
        self._handlers = {}
        if not self.opened.done():
            self.opened.set_result(False)
        elif self.opened.result():
            self._loop.call_soon(self._protocol.connection_lost, None)
        for handler in handlers.values():
            self._loop.call_soon(handler.destroy)


class TabConnect:
    """The way of a tab to a table: see `player.client.connection.Connect`."""

    def __init__(self, storage: Storage, on_failure: Callable[[JsException], None]) -> None:
        """`on_failure`: see `WebSocketTransport`."""
        self._storage = storage
        self._on_failure = on_failure

    async def __call__(
        self,
        link: JoinLink,
        identity: Identity,
        rng: Random,
        expected: str | None,
        listener: Listener,
        /,
        *,
        ticket: Ticket | None = None,
    ) -> Connection:
        """Connect and begin the handshake, at the first address of the link that answers. Raises:
        LocalError if a page cannot call this link, or nobody answers there.
        """
        check_reach(link)
        session = Session(
            Role.PLAYER, identity, rng.randbytes(32), rng, expected, PROLOGUE, ticket=ticket
        )
        for address in link.addresses:
            connection = Connection(session, listener)
            if await self._called(link.with_address(address).address_text, connection):
                return connection
        # a browser does not tell a page why a server has refused it
        raise LocalError(
            "wrong.tab.no_answer", where=link.address_text, origin=str(js.location.origin)
        )

    async def _called(self, address: str, connection: Connection) -> bool:
        """Call one address. Return False if nobody answers there."""
        transport = WebSocketTransport(address, connection, self._storage, self._on_failure)
        opened = False
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    # the socket may still complete this when nobody waits any more
                    opened = await asyncio.shield(transport.opened)
        finally:
            if not opened:
                transport.abort()
        return opened


def check_reach(link: JoinLink) -> None:
    """Check that this page can call the table of a link. Raises: LocalError."""
    if not link.web_scheme:
        raise LocalError("wrong.tab.no_web_address")
    if link.web_scheme == "ws" and js.location.protocol == "https:":
        raise LocalError("wrong.tab.not_secure", where=link.address_text)
