"""One connection of a relay: a request for a WebSocket, and then frames for the partner.

The WebSocket protocol is the library's, without its sockets. In both directions the sender pays for
its bytes, and for the work of passing them on.
"""

import asyncio
import re
from http import HTTPStatus
from typing import NamedTuple, Protocol, cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF, Event, State
from websockets.server import ServerProtocol
from websockets.typing import Origin

from net.socket_options import keep_alive, limit_unsent
from net.websocket_request import NotARequest, head_size
from net.websocket_transport import MAX_WEB_MESSAGE, NULL_LOGGER
from protocol import wire
from protocol.errors import RemoteError
from protocol.identity.keys import FINGERPRINT_LETTERS
from protocol.limits import (
    HANDSHAKE_SECONDS,
    MAX_RELAY_MESSAGE,
    MAX_RELAY_UNREAD,
    MAX_UPGRADE,
    RELAY_HIGH_WATER,
    RELAY_PIECE,
    RELAY_SETTLE_SECONDS,
    RELAY_TOKEN,
    STALL_SECONDS,
)
from protocol.messages.relay import (
    GUEST_PATH,
    LINE_PATH,
    TABLE_PATH,
    ControlMessage,
    encode,
)
from relay.read_gate import ReadGate
from table.net.addresses import address_group, address_of, counted_address
from table.net.connection import SharedBufferProtocol
from table.net.listeners.pending_proxied import PendingProxied
from table.net.listeners.trusted_proxies import TrustedProxies
from table.net.processor_time import METER, ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.read_throttle import ReadThrottle
from table.net.timer import Timer
from table.net.token_bucket import TokenBucket

PASSED = (Opcode.BINARY, Opcode.CONT)


_REST = re.compile(
    rf"(?P<table>{TABLE_PATH})"
    rf"|{GUEST_PATH}/(?P<guest>[a-z2-7]{{{FINGERPRINT_LETTERS}}})"
    rf"|{LINE_PATH}/(?P<line>[0-9a-f]{{{2 * RELAY_TOKEN}}})",
    re.ASCII,
)


class Accounts(NamedTuple):
    """Accounts from which a connection pays."""

    payer: ConnectionPayer
    rates: tuple[TokenBucket, TokenBucket]  # of bytes: its own, and of all that it shares


class ConnectionOwner(Protocol):
    """Owner of all connections of a relay, which decides about them."""

    read_queue: ReadQueue
    origins: tuple[str, ...]
    paths: tuple[str, ...]  # of this relay's URLs, longest first
    named: TrustedProxies
    wait_seconds: float  # of a guest, for its line
    stall_seconds: float  # for a peer to read some of what waits for it
    pending: PendingProxied

    def count_bytes(self, size: int) -> None:
        """Count received bytes."""

    def may_connect(self, address: str) -> bool:
        """Count an arrival from this address, and tell if it may connect."""

    def has_token(self, token: bytes) -> bool:
        """Tell if a guest waits for the line with this token."""

    def enter(self, connection: "RelayConnection") -> bool:
        """Count a connection whose address is known; False if there is no place."""

    def add_table(self, connection: "RelayConnection") -> None:
        """Accept the control line of a table."""

    def table_message(self, connection: "RelayConnection", payload: bytes) -> None:
        """Process a control message of a table."""

    def add_guest(self, connection: "RelayConnection", fingerprint: str) -> None:
        """Announce a guest to the table with this fingerprint, or refuse it."""

    def add_line(self, connection: "RelayConnection", token: bytes) -> None:
        """Join the line of a table with the guest of this token, or refuse it."""

    def time_out(self, connection: "RelayConnection") -> None:
        """End a connection that has waited for too long."""

    def accounts_of(self, connection: "RelayConnection") -> Accounts:
        """Return the accounts that pay for this connection."""

    def remove(self, connection: "RelayConnection") -> None:
        """Remove a connection from its channel: nothing more is read from it. Called once for each
        connection that has entered.
        """

    def forget(self, connection: "RelayConnection") -> None:
        """Forget a connection whose socket is closed. Called once for each connection that has
        entered.
        """


class RelayConnection(SharedBufferProtocol):
    """One connection: of a guest, of a table, or a line of a table for a guest."""

    __slots__ = (
        "_answer",
        "_control",
        "_deadline",
        "_drained",
        "_entered",
        "_frames",
        "_gate",
        "_head",
        "_loop",
        "_over",
        "_owner",
        "_rest",
        "_settled",
        "_stall",
        "_stalled_at",
        "_throttle",
        "_transport",
        "_web",
        "_written",
        "accounts",
        "address",
        "expected",
        "heard",
        "partner",
        "pinged",
    )
    _transport: asyncio.Transport
    _gate: ReadGate
    _throttle: ReadThrottle | None
    accounts: Accounts

    def __init__(
        self, owner: ConnectionOwner, loop: asyncio.AbstractEventLoop, expected: bool = False
    ) -> None:
        """`expected`: there is no place for it, but a table at its address is expected to open a line."""
        self.expected = expected
        self._owner, self._loop = owner, loop
        self._web = ServerProtocol(
            origins=[None, *map(Origin, owner.origins)],
            max_size=MAX_WEB_MESSAGE,
            logger=NULL_LOGGER,
        )
        self.address = ""  # unknown
        self.partner: RelayConnection | None = None
        self.heard = loop.time()
        self.pinged = False  # since `heard`
        self._head = b""  # of the request
        self._rest = b""  # what has come, and has to wait
        self._answer: Response | None = None  # accepts the request, once that has been read
        self._control = False  # frames are for the relay itself
        self._frames = wire.FrameDecoder(MAX_RELAY_MESSAGE)
        self._entered = self._over = False
        self._drained = 0  # bytes since the end
        self._throttle = None
        self._settled = 0.0  # seconds of processor time that the accounts know of
        self._deadline = Timer(loop, self._overdue)
        self._written = 0  # bytes, ever
        self._stalled_at = 0  # bytes that the system had taken when it was last looked
        self._stall = Timer(loop, self._look_at_reader)

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set the options of the socket, and tell a named proxy from a direct client."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=RELAY_HIGH_WATER)
        self._gate = ReadGate(self._transport, self._go_on)
        line = transport.get_extra_info("socket")
        keep_alive(line)
        limit_unsent(line)  # what the system holds cannot be counted
        peer = transport.get_extra_info("peername")
        if peer is None:  # gone already
            self._transport.abort()
        elif self._owner.named.has(address_of(peer)):
            self._owner.pending.enter(self._transport, self._loop)
        else:
            self._enter(counted_address(peer))

    def received(self, data: memoryview | bytes) -> None:
        """Read the request, and then frames."""
        self.heard, self.pinged = self._loop.time(), False
        self._owner.count_bytes(len(data))
        if self._over or self._transport.is_closing():
            self._drain(data)
            return
        if self._throttle is not None:
            self._take(bytes(data))
        elif self._answer is not None:  # nobody may send anything before the answer
            self._refuse(HTTPStatus.BAD_REQUEST)
        else:
            self._read_head(data)

    def _read_head(self, data: memoryview | bytes) -> None:
        self._head += data
        try:
            size = head_size(self._head)
        except NotARequest:
            self.abort()
            return
        if size is None:
            if len(self._head) > MAX_UPGRADE:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            return
        head, self._head = self._head, b""
        if len(head) > size:
            self._refuse(HTTPStatus.BAD_REQUEST)
        else:
            self._ask(head)

    def eof_received(self) -> None:
        """Leave the channel, since the peer has hung up."""
        self._leave()

    def pause_writing(self) -> None:
        """Stop reading from the partner, which sends faster than the peer reads."""
        if not self._stall.running:
            self._stalled_at = self._written - self.queued
            self._stall.set(self._owner.stall_seconds)
        if self.partner is not None:
            self.partner._gate.block()

    def resume_writing(self) -> None:
        """Read from the partner again."""
        self._stall.stop()
        if self.partner is not None:
            self.partner._gate.unblock()

    def _look_at_reader(self) -> None:
        """Cut off a peer that does not read; a slow one goes on."""
        taken = self._written - self.queued
        if taken - self._stalled_at < RELAY_PIECE:
            self.abort()
        else:
            self._stalled_at = taken
            self._stall.set(self._owner.stall_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._leave()
        self._owner.pending.leave(self._transport)
        self._deadline.close()
        self._stall.close()
        if self._entered:
            self._owner.forget(self)

    # --- from the owner ---

    @property
    def queued(self) -> int:
        """Bytes on their way to the peer."""
        return self._transport.get_write_buffer_size()

    @property
    def held(self) -> int:
        """Bytes that the relay holds for this connection: those on their way to the peer, and those
        from the peer that wait or are no whole frame yet.
        """
        return self.queued + len(self._head) + len(self._rest) + len(self._web.reader.buffer)

    def accept(self) -> None:
        """Answer the request with the WebSocket that it asks for."""
        assert self._answer is not None
        self._web.send_response(self._answer)
        self.flush()
        self._deadline.stop()
        self.accounts = self._owner.accounts_of(self)
        self._throttle = ReadThrottle(
            cast(asyncio.Transport, self._gate), self._loop, self.accounts.rates, self._continue
        )

    def control(self) -> None:
        """Take frames as control messages; the claim must come in time."""
        self._control = True
        self._deadline.set(HANDSHAKE_SECONDS)

    def claimed(self) -> None:
        """Stop the deadline for the claim, which has come."""
        self._deadline.stop()

    def refuse(self) -> None:
        """Refuse the request: there is no place, or no table."""
        self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)

    def say(self, message: ControlMessage) -> None:
        """Send a control message."""
        if self._web.state is State.OPEN:
            self._web.send_binary(encode(message))
            self.flush()

    def end(self, code: CloseCode = CloseCode.GOING_AWAY) -> None:
        """Close the WebSocket, or the socket if there is none yet."""
        if self._web.state is State.OPEN:
            self._web.send_close(code)
        self._finish()

    def ping(self) -> None:
        """Ask for a sign of life."""
        self.pinged = True
        if self._web.state is State.OPEN:
            self._web.send_ping(b"")
            self.flush()

    def abort(self) -> None:
        """Drop the connection at once."""
        self._transport.abort()

    def flush(self) -> None:
        """Send what the library has to send, and close after its last bytes."""
        pieces = self._web.data_to_send()
        if pieces:
            data = b"".join(pieces)
            self._written += len(data)
            self._transport.write(data)
            if SEND_EOF in pieces:
                self._transport.close()

    # --- the request ---

    def _enter(self, address: str) -> bool:
        self.address = address
        self._owner.pending.leave(self._transport)
        self._entered = self._owner.enter(self)
        if not self._entered:
            self._transport.abort()
        self._deadline.set(HANDSHAKE_SECONDS)
        return self._entered

    def _ask(self, head: bytes) -> None:
        """Check the whole request, and ask the owner for an answer."""
        self._web.receive_data(head)
        events = self._web.events_received()
        if not events:  # no HTTP: the library has answered already
            self._finish()
            return
        request = cast(Request, events[0])
        asked = next(
            (found for path in self._owner.paths if (found := _below(request.path, path))), None
        )
        token = bytes.fromhex(asked["line"] or "") if asked is not None else b""
        said = request.headers.get_all("X-Forwarded-For")
        if self.address:
            peer = self._transport.get_extra_info("peername")
            self._owner.named.notice(peer, said, self._loop.time())
        elif not self._forwarded(said, token):
            return
        if asked is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        if self.expected and not token:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        if asked["guest"] is None and request.headers.get_all("Origin"):  # a page is no table
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        answer = self._web.accept(request)
        if answer.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self._web.send_response(answer)
            self._finish()
            return
        self._answer = answer
        self._deadline.set(self._owner.wait_seconds)
        if asked["guest"] is not None:
            self._owner.add_guest(self, asked["guest"])
        elif asked["line"] is not None:
            self._owner.add_line(self, token)
        else:
            self._owner.add_table(self)

    def _forwarded(self, said: list[str], token: bytes) -> bool:
        """Learn from a named proxy who its client is. Return False if the connection has ended. A
        client with the token of a guest is expected.
        """
        host = self._owner.named.forwarded(said)
        if host is None:
            self._owner.named.warn("X-Forwarded-For", self._loop.time())
            self._refuse(HTTPStatus.BAD_REQUEST)
            return False
        address = address_group(host)
        self.expected = self._owner.has_token(token)
        if not self.expected and not self._owner.may_connect(address):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return False
        return self._enter(address)

    def _refuse(self, status: HTTPStatus) -> None:
        if self._web.state is State.CONNECTING and not self._over:
            self._web.send_response(self._web.reject(status, f"{status.phrase}\n"))
        self._finish()

    # --- frames ---

    def _take(self, data: bytes) -> None:
        """Process bytes as far as the rates and the partner allow. The rest waits."""
        self._rest = self._rest + data if self._rest else data
        throttle, gate, queue = self._throttle, self._gate, self._owner.read_queue
        assert throttle is not None
        payer, (own, together) = self.accounts
        before = METER.switch(payer)
        first = True
        try:
            while self._rest and not self._over and not gate.shut:
                now = self._loop.time()
                if wait := own.wait(now) or together.wait(now):
                    throttle.pause(wait)
                    return
                if not first:
                    METER.read()
                first = False
                # the accounts are asked now and then: that costs as much as passing a frame on
                if payer.spent - self._settled > RELAY_SETTLE_SECONDS:
                    if queue.must_wait(payer):
                        throttle.hold(queue, payer)
                        return
                    self._settled = payer.spent
                piece, self._rest = self._rest[:RELAY_PIECE], self._rest[RELAY_PIECE:]
                own.spend(now, len(piece))
                together.spend(now, len(piece))
                self._feed(piece)
        finally:
            METER.switch(before)

    def _continue(self) -> None:
        """Do nothing after a pause: `ReadThrottle` then lets the gate read."""

    def _go_on(self) -> None:
        """Process the bytes that had to wait, and then read again."""
        if self._throttle is not None and not self._over:
            self._take(b"")
        if not self._rest:
            self._gate.read()

    def _feed(self, data: bytes) -> None:
        web, partner = self._web, self.partner
        web.receive_data(data)
        events = web.events_received()
        frames = [event for event in events if isinstance(event, Frame) and event.opcode in PASSED]
        code: CloseCode | None = None
        if len(frames) < len(events) and any(map(_is_text, events)):
            code = CloseCode.UNSUPPORTED_DATA
        elif partner is not None:
            partner.forward(frames)
        elif self._control and not all(map(self._hear, frames)):
            code = CloseCode.INVALID_DATA
        if code or web.parser_exc is not None or web.close_rcvd is not None:
            self.end(code or CloseCode.NORMAL_CLOSURE)
        elif len(frames) < len(events):  # a pong may be due
            if self.queued > MAX_RELAY_UNREAD:
                self.abort()
            else:
                self.flush()

    def forward(self, frames: list[Frame]) -> None:
        """Send frames from the partner."""
        web = self._web
        if web.state is not State.OPEN:
            return
        binary, more = web.send_binary, web.send_continuation
        for frame in frames:
            (more if frame.opcode is Opcode.CONT else binary)(frame.data, frame.fin)
        self.flush()

    def _hear(self, frame: Frame) -> bool:
        """Read a part of a control message. Return False if it is none."""
        try:
            for payload in self._frames.feed(bytes(frame.data)):
                self._owner.table_message(self, payload)
        except RemoteError:
            return False
        return True

    # --- the end ---

    def _finish(self) -> None:
        """Send what is left to send, and close. A peer that does not read it is cut off."""
        self.flush()
        self._leave()
        if not self._transport.is_closing():
            if self._web.state is State.CLOSING:
                self._transport.resume_reading()  # for the answer to the close
            else:
                self._transport.close()
        self._deadline.set(STALL_SECONDS)

    def _drain(self, data: memoryview | bytes) -> None:
        """Wait for the answer to our close, through as many bytes as may have been on their way."""
        self._drained += len(data)
        if self._web.state is not State.CLOSING or self._drained > 2 * MAX_WEB_MESSAGE:
            self.abort()
            return
        self._web.receive_data(bytes(data))
        self._web.events_received()
        self.flush()

    def _overdue(self) -> None:
        if self._over:
            self.abort()
        else:
            self._owner.time_out(self)

    def _leave(self) -> None:
        if self._over:
            return
        self._over = True
        if self._throttle is not None:
            self._throttle.stop()
        partner, self.partner = self.partner, None
        if partner is not None:
            partner.partner = None
        self._rest = b""
        if self._entered:
            self._owner.remove(self)


def _below(asked: str, path: str) -> re.Match[str] | None:
    return _REST.fullmatch(asked, len(path) + 1) if asked.startswith(f"{path}/") else None


def _is_text(event: Event) -> bool:
    return isinstance(event, Frame) and event.opcode is Opcode.TEXT
