"""One peer's connection: its session, its deadlines and what is queued for it. It knows nothing of games.

Everything is synchronous: bytes come in, the gate is told, what it sends is queued, and the queue goes out once in
a turn of the event loop. Nobody ever waits for a peer to read: what is queued is bounded, and a peer that takes
nothing for too long is cut off.
"""

import asyncio
import contextlib
import logging
from enum import Enum
from typing import TYPE_CHECKING, Protocol, cast

from protocol import messages
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity import short_fingerprint
from protocol.limits import HIGH_WATER, READ_CHUNK
from protocol.messages import Phase
from protocol.session import Closed, Established, Received, Session
from table.config import Bounds
from table.peers import keep_alive, source, where

if TYPE_CHECKING:
    from table.room import Room

log = logging.getLogger(__name__)


class Gate(Protocol):
    """Whom a connection reports to."""

    bounds: Bounds

    def admit(self, connection: "Connection") -> bool:
        """A peer has connected; whether it may stay."""

    def open_session(self) -> Session:
        """A fresh session of the table's side."""

    def identified(self, connection: "Connection") -> None:
        """The peer has proved that it is `connection.identity`."""

    def message(self, connection: "Connection", payload: bytes) -> None:
        """The peer has sent a message. Raises: RemoteError if it broke the protocol by it."""

    def ending(self, connection: "Connection") -> None:
        """Nothing more will come from the peer or go to it. Called once for each admitted connection."""

    def lost(self, connection: "Connection") -> None:
        """The socket is closed. Called once for each admitted connection."""


class _State(Enum):
    OPEN = "open"
    ENDING = "ending"  # we have said the last word, and wait a little for the peer to read it
    GONE = "gone"


# One buffer for all connections: what a read puts into it is taken out before the next read.
_BUFFER = bytearray(READ_CHUNK)
_VIEW = memoryview(_BUFFER)


class Connection(asyncio.BufferedProtocol):
    """One peer. The attributes from `phase` to `lagging` are the gate's to change."""

    __slots__ = (
        "_deadline", "_flushing", "_gate", "_held", "_loop", "_out", "_queued", "_session", "_stall", "_state",
        "_transport", "address", "forgiven", "identity", "lagging", "name", "phase", "room", "seat",
    )  # fmt: skip
    _transport: asyncio.Transport
    _session: Session

    def __init__(self, gate: Gate, loop: asyncio.AbstractEventLoop) -> None:
        self.phase = Phase.GREETING
        self.forgiven: Phase | None = None  # the phase until we changed it, while the peer cannot be known to know
        self.identity = b""
        self.name = ""
        self.room: Room | None = None
        self.seat: int | None = None
        self.lagging = False  # the room has more to send once this peer has read
        self.address = ""
        self._gate, self._loop = gate, loop
        self._state = _State.GONE
        self._out: list[bytes] = []  # records that go out at the end of this turn
        self._flushing = False  # `_flush` is due in this turn
        self._queued = 0  # bytes in `_out`, and in the transport as of the last flush
        self._held: list[Connection] = []  # peers that are not read from until this one has read
        self._deadline: asyncio.TimerHandle | None = None  # for the hello, later for the end
        self._stall: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        return short_fingerprint(self.identity) if self.identity else "a newcomer"

    # --- for the gate ---

    @property
    def open(self) -> bool:
        """Whether messages still go both ways."""
        return self._state is _State.OPEN

    @property
    def busy(self) -> bool:
        """Whether so much is queued that nothing more should be fetched for this peer."""
        return self._queued > HIGH_WATER

    def send(self, message: bytes) -> None:
        """Queue an encoded message; nothing happens if the connection is ending."""
        if self._state is not _State.OPEN:
            return
        self._enqueue(self._session.send(message))
        if self._queued > self._gate.bounds.queued:
            self._queued = sum(map(len, self._out)) + self._transport.get_write_buffer_size()
            if self._queued > self._gate.bounds.queued:
                self._cut_off()

    def send_error(self, code: Code) -> None:
        """Queue an `error`."""
        self.send(messages.encode("error", str(code)))

    def greeted(self) -> None:
        """The peer has said hello in time."""
        self._set_deadline(None)

    def hold(self, sender: "Connection") -> None:
        """Read nothing more from a peer that relays to this one, until this one has read what is queued."""
        if sender.open and sender not in self._held:
            sender._transport.pause_reading()
            self._held.append(sender)

    def end(self, code: Code | None, *, error: bool = False) -> None:
        """Say why in a close record (and in an `error` before it), and drop the connection soon after."""
        if self._state is not _State.OPEN:
            return
        if error and code is not None and self._session.writable:
            self.send_error(code)
        if self._state is _State.OPEN:  # the error may have been one too many
            self._last_word(code)

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._state is not _State.GONE:
            self._leave_open_state()
            self._transport.abort()

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer has connected."""
        self._transport = cast(asyncio.Transport, transport)
        self.address = source(transport.get_extra_info("peername"))
        if not self._gate.admit(self):
            self._transport.abort()
            return
        self._state = _State.OPEN
        self._session = self._gate.open_session()
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        keep_alive(transport.get_extra_info("socket"))
        self._set_deadline(self._gate.bounds.handshake_seconds)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the event loop puts what it reads."""
        return _VIEW

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have been read. Whatever goes wrong with them concerns this peer only."""
        if self._state is not _State.OPEN:
            return
        try:
            self._take(_VIEW[:nbytes])
        except RemoteError as error:
            log.info("%r: %s", self, error)
            self.end(error.code, error=True)
        except Exception as error:
            log.error("%r: %s in a handler\n%s", self, type(error).__name__, where(error))
            self.end(Code.INTERNAL, error=True)

    def eof_received(self) -> None:
        """The peer sends nothing more; the transport closes itself after this."""
        if self._state is _State.OPEN:
            if (code := self._session.eof()) is not None:
                log.info("%r: %s", self, code)
            self.end(None)

    def pause_writing(self) -> None:
        """The peer does not read as fast as others send to it."""
        if self._stall is None:
            self._stall = self._loop.call_later(self._gate.bounds.stall_seconds, self._cut_off)

    def resume_writing(self) -> None:
        """The peer has read."""
        self._stop_stall()
        self._drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        if self._state is _State.GONE:
            return
        self._leave_open_state()
        self._state = _State.GONE
        self._stop_stall()
        self._set_deadline(None)
        self._gate.lost(self)

    # --- inside ---

    def _take(self, data: memoryview) -> None:
        session = self._session
        for event in session.receive(data):  # type: ignore[arg-type]  # a bytearray takes either
            match event:
                case Received(payload):
                    self._gate.message(self, payload)
                case Established(peer):
                    self.identity = peer
                    self._gate.identified(self)
                case Closed():
                    self.end(None)
            if self._state is not _State.OPEN:
                return
        if self.phase is Phase.GREETING and (reply := session.outgoing()):
            self._enqueue(reply)

    def _enqueue(self, record: bytes) -> None:
        self._out.append(record)
        self._queued += len(record)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Everything queued in this turn of the loop goes out in one write."""
        self._flushing = False
        if self._out and self._state is not _State.GONE:
            self._transport.write(b"".join(self._out))
            self._out.clear()
            self._drained()

    def _drained(self) -> None:
        self._queued = self._transport.get_write_buffer_size()
        if not self.busy:
            self._release()
            if self.lagging and self.room is not None:
                self.room.pump(self)

    def _release(self) -> None:
        for sender in self._held:
            if sender.open:
                sender._transport.resume_reading()
        self._held.clear()

    def _last_word(self, code: Code | None) -> None:
        """Half close, and throw away what still comes: closing a socket with bytes unread in it resets the
        connection, and the peer would never read why. One that has not proved who it is, is told nothing."""
        record = self._session.close(code)
        if not record:
            self.abort()
            return
        self._out.append(record)
        self._leave_open_state()
        self._flush()
        self._transport.resume_reading()
        with contextlib.suppress(OSError):
            self._transport.write_eof()
        self._set_deadline(self._gate.bounds.close_seconds)

    def _leave_open_state(self) -> None:
        if self._state is _State.OPEN:
            self._state = _State.ENDING
            self._release()
            self._gate.ending(self)

    def _cut_off(self) -> None:
        """The peer does not read: it cannot be told anything either."""
        log.info("%r does not read what it is sent: cut off", self)
        self.abort()

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self._loop.call_later(seconds, self._overdue)

    def _overdue(self) -> None:
        if self._state is _State.OPEN:
            log.info("%r: no hello in time", self)
            self.end(Code.TOO_SLOW, error=True)
        else:
            self.abort()

    def _stop_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None
