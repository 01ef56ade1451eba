"""The socket under a client: bytes into the session, messages into the client, all within
`data_received`.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol

from commandline.optional_packages import require_websocket
from net.socket_options import keep_alive, set_peer_timeout
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import FRAME_SECONDS
from protocol.session.session import (
    LINE_PROLOGUE,
    PROLOGUE,
    MessageReceived,
    PeerAuthenticated,
    Role,
    Session,
    SessionClosed,
)
from protocol.session.ticket import Ticket

CONNECT_SECONDS = 10.0  # for the connection, and again for the handshake
LINGER_SECONDS = 2.0  # for the last bytes to go out, and for the peer to hang up

# returns the IP address to call for an address. Raises: LocalError, OSError
FindHost = Callable[[Address], Awaitable[str]]


class Listener(Protocol):
    """The user of a connection; `received` may raise `RemoteError`, which ends the connection."""

    def established(self, connection: "Connection", table_key: bytes) -> None:
        """Begin with a connection whose handshake has proved the peer's key."""

    def received(self, payload: bytes) -> None:
        """Take a message. Raises: RemoteError."""


class Connection(asyncio.Protocol):
    """One connection. `gone` is done when it has ended. Its result is the code of the end: the peer's
    reason, our own, CUT_OFF if the peer did not close it, or None for an end without a reason.
    """

    def __init__(self, session: Session, listener: Listener, calling: bool = True) -> None:
        """Make a connection. `calling`: this side has called, and begins the handshake."""
        self._session = session
        self._listener = listener
        self._calling = calling
        self._transport: asyncio.Transport | None = None
        self._reason: Code | None = None
        self._hung_up = False  # closed before it was open
        self._ending = False  # the last record has been written: further bytes are dropped
        self._peer_closed = False  # the peer has sent its close record, and sends nothing more
        self._timer: asyncio.TimerHandle | None = None  # aborts the connection
        self._heard = 0.0  # the time of the newest bytes, in seconds of the loop's clock
        self.foreign = False  # the peer speaks another protocol, as a web server does
        self.gone: asyncio.Future[Code | None] = asyncio.get_running_loop().create_future()

    @property
    def remote(self) -> str:
        """The address at the other end; empty if it has none."""
        if self._transport is not None:
            peer = self._transport.get_extra_info("peername")
        else:
            peer = None
        return str(peer[0]) if isinstance(peer, tuple) else ""

    def watch(self) -> None:
        """Have the system end the connection soon after the other machine has died. Use it if there
        is another machine to call.
        """
        if self._transport is not None:
            set_peer_timeout(self._transport.get_extra_info("socket"))

    @property
    def heard(self) -> float:
        """Time of the newest bytes, in seconds of the loop's clock.

        A transport that passes on only whole messages states itself when it `heard` the last bytes.
        """
        line = self._transport
        return self._heard if line is None else max(self._heard, line.get_extra_info("heard", 0.0))

    def cut(self) -> None:
        """End the connection at once, without a close record: the line is dead."""
        self._abort(Code.CUT_OFF)

    def send(self, payload: bytes) -> None:
        """Send a message; dropped if the connection is ending."""
        if (
            self._transport is not None
            and self._session.writable
            and not self._ending
            and not self._transport.is_closing()
        ):
            self._transport.write(self._session.send(payload))

    def close(self, code: Code | None = None) -> None:
        """Send the close record and hang up: without a reason at once, with a reason when the peer
        hangs up.

        A socket that is closed while the peer still writes is reset, and the peer loses the record.
        A side with a reason therefore goes on reading, for `LINGER_SECONDS` at most, and drops the
        bytes.
        """
        transport = self._transport
        if transport is None:
            self._hung_up = True
            return
        if self._ending or transport.is_closing():
            return
        self._ending = True
        record = self._session.close(code)
        transport.write(record)
        if record and code is not None and transport.can_write_eof() and not self._peer_closed:
            # OSError: the peer has hung up already, which asyncio reports next
            with contextlib.suppress(OSError):
                transport.write_eof()
        else:
            transport.close()
        self._wait_at_most(LINGER_SECONDS, self._reason)

    def _wait_at_most(self, seconds: float, code: Code | None) -> None:
        """Abort the connection after this time, for this reason. This replaces an earlier timer."""
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._abort, code)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _abort(self, code: Code | None) -> None:
        self._reason = code
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._hung_up:
            transport.abort()
            return
        keep_alive(transport.get_extra_info("socket"))
        if self._calling:
            transport.write(self._session.start())
        self._wait_at_most(CONNECT_SECONDS, Code.TOO_SLOW)

    def data_received(self, data: bytes) -> None:
        """Take in bytes."""
        if self._ending:
            return
        if self._calling and not self._heard:
            self.foreign = data[0] != 0  # frames are shorter than 2**24 bytes
        self._heard = asyncio.get_running_loop().time()
        try:
            self._take(data)
        except RemoteError as error:
            self._reason = error.code
            self.close(error.code)
        except Exception as error:
            if not self.gone.done():
                self.gone.set_exception(error)
            self.close(Code.INTERNAL)

    def _take(self, data: bytes) -> None:
        another = False
        for event in self._session.receive(data):
            another = True
            match event:
                case PeerAuthenticated(peer):
                    self._stop_waiting()
                    self._listener.established(self, peer)
                case MessageReceived(payload):
                    self._listener.received(payload)
                case SessionClosed(code):
                    self._reason = code
                    self._peer_closed = True
                    self.close()
        if self._transport is not None and not self._ending:
            self._transport.write(self._session.take_handshake_bytes())
        self._time_frame(another)

    def _time_frame(self, another: bool) -> None:
        """Limit the time of a frame that has begun: otherwise a length that was changed on its way
        would hold us for ever.

        `another`: a frame has ended, so the present one is new.
        """
        if self._transport is None or self._ending or not self._session.writable:
            return
        if not self._session.has_partial:
            self._stop_waiting()
        elif another or self._timer is None:
            self._wait_at_most(FRAME_SECONDS, Code.TOO_SLOW)

    def connection_lost(self, error: Exception | None) -> None:
        """Note the end of the connection, and complete `gone`."""
        self._stop_waiting()
        cut = self._session.eof()
        if not self.gone.done():
            self.gone.set_result(self._reason or cut)


class Connect(Protocol):
    """The type of `connect` and of its replacements."""

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
        """Connect and begin the handshake, with this ticket of the table. Raises: LocalError if
        nobody answers there.
        """


async def connect(
    link: JoinLink,
    identity: Identity,
    rng: Random,
    expected: str | None,
    listener: Listener,
    kind: type[Connection] = Connection,
    *,
    ticket: Ticket | None = None,
    find: FindHost | None = None,
) -> Connection:
    """Connect and begin the handshake, at the first address of the link that answers, with this
    ticket of the table.

    `find` looks up hosts in place of the system. Raises: LocalError if nobody answers, or if an
    address cannot be called.
    """
    prologue = LINE_PROLOGUE if link.direct else PROLOGUE
    session = Session(
        Role.PLAYER, identity, rng.randbytes(32), rng, expected, prologue, ticket=ticket
    )
    *others, last = (link.with_address(address) for address in link.addresses)
    for other in others:
        with contextlib.suppress(LocalError):
            return await _connect_to(other, lambda: kind(session, listener), find)
    return await _connect_to(last, lambda: kind(session, listener), find)


async def _connect_to(
    link: JoinLink, factory: Callable[[], Connection], find: FindHost | None
) -> Connection:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await _open_connection(link, factory, find)
    except (OSError, TimeoutError, UnicodeError):  # UnicodeError: no valid host name, as a..b
        key = "wrong.no_answer.direct" if link.direct else "wrong.no_answer"
        raise LocalError(key, where=link.address_text) from None


async def _open_connection(
    link: JoinLink, factory: Callable[[], Connection], find: FindHost | None
) -> Connection:
    at = None if find is None else await find(link.addresses[0])
    if not link.web_scheme:
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(factory, at or link.host, link.port))[1]
    with require_websocket():
        from net.websocket_transport import connect_websocket
    return (await connect_websocket(link, factory, at=at))[1]
