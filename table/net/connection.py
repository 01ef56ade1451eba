"""One peer's connection: its session, its deadlines and what is queued for it. It knows nothing of games.

Everything is synchronous: bytes come in, the gate is told, what it sends is queued, and the queue goes out once in
a turn of the event loop. Nobody ever waits for a peer to read: what is queued is bounded, and a peer that takes
nothing for too long is cut off. A peer that sends more than its rate allows is read from more slowly, and it alone.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Protocol, cast

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import short_fingerprint
from protocol.limits import HIGH_WATER, READ_CHUNK, REFUSED_COSTS
from protocol.messages import table as messages
from protocol.messages.table import Phase
from protocol.session.session import Closed, Established, Event, Received, Session
from table.config import Bounds
from table.metrics import Metrics
from table.net.admission import Origin
from table.net.peers import keep_alive, source, where
from table.net.rates import Bucket

if TYPE_CHECKING:
    from table.room.feed import Feed

log = logging.getLogger(__name__)


class Gate(Protocol):
    """Whom a connection reports to."""

    bounds: Bounds
    metrics: Metrics
    queued: int  # bytes for all peers; connections keep it up to date

    def admit(self, connection: "Connection") -> "Origin[Connection] | None":
        """A peer has connected; where it comes from, or None if it may not stay."""

    def overfull(self) -> None:
        """Too much is queued in all: somebody has to go, in the next turn of the loop."""

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
        "_deadline", "_flushing", "_gate", "_held", "_holders", "_loop", "_out", "_paused", "_rates", "_session",
        "_stall", "_state", "_transport", "address", "forgiven", "identity", "lagging", "name", "ordinal", "origin",
        "phase", "queued", "room", "seat",
    )  # fmt: skip
    _transport: asyncio.Transport
    _session: Session
    origin: "Origin[Connection]"

    def __init__(self, gate: Gate, loop: asyncio.AbstractEventLoop) -> None:
        self.phase = Phase.GREETING
        self.forgiven: Phase | None = None  # the phase until we changed it, while the peer cannot be known to know
        self.identity = b""
        self.name = ""
        self.room: Feed | None = None
        self.seat: int | None = None
        self.lagging = False  # the room has more to send once this peer has read
        self.address = ""
        self.ordinal = 0  # which connection of the table's it is, in the order they were admitted
        self._gate, self._loop = gate, loop
        self._state = _State.GONE
        self._out: list[bytes] = []  # records that go out at the end of this turn
        self._flushing = False  # `_flush` is due in this turn
        self.queued = 0  # bytes in `_out`, and in the transport as of the last flush
        self._held: list[Connection] = []  # peers that are not read from until this one has read
        self._holders = 0  # peers that have to read before this one is read from
        self._rates: tuple[Bucket, ...] = ()  # what this peer may send, and its address
        self._paused: asyncio.TimerHandle | None = None  # until it may send again
        self._deadline: asyncio.TimerHandle | None = None  # for the hello, then for a frame, at last for the end
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
        return self.queued > HIGH_WATER

    def send(self, message: bytes) -> None:
        """Queue an encoded message; nothing happens if the connection is ending."""
        if self._state is not _State.OPEN:
            return
        self._enqueue(self._session.send(message))
        bounds = self._gate.bounds
        if self.queued > bounds.queued and self.recount() > bounds.queued:
            self.cut_off()
        elif self._gate.queued > bounds.queued_in_all:
            self._gate.overfull()

    def send_error(self, code: Code) -> None:
        """Queue an `error`."""
        self.send(messages.encode("error", str(code)))

    def refused(self, code: Code) -> None:
        """An entry of this peer is refused: it counts as more frames, for its signature was checked in vain."""
        self._gate.metrics.refused_posts[code] += 1
        self._charge(REFUSED_COSTS, self._loop.time())

    def _charge(self, frames: int, now: float) -> None:
        for rate in self._rates:
            rate.spend(now, frames)

    def recount(self) -> int:
        """How many bytes are queued, as of now."""
        self._count(sum(map(len, self._out)) + self._transport.get_write_buffer_size())
        return self.queued

    def greeted(self) -> None:
        """The peer has said hello in time."""
        self._set_deadline(None)

    def hold(self, sender: "Connection") -> None:
        """Read nothing more from a peer that relays to this one, until this one has read what is queued."""
        if sender.open and sender not in self._held:
            sender._transport.pause_reading()
            sender._holders += 1
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
            self._out.clear()
            self._transport.abort()
            self._count(0)

    def cut_off(self) -> None:
        """The peer does not read: it cannot be told anything either."""
        log.info("%r does not read what it is sent: cut off", self)
        self._gate.metrics.slow_readers += 1
        self.abort()

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer has connected."""
        self._transport = cast(asyncio.Transport, transport)
        self.address = source(transport.get_extra_info("peername"))
        origin = self._gate.admit(self)
        if origin is None:
            self._transport.abort()
            return
        self.origin, self._state = origin, _State.OPEN
        self._rates = (Bucket(self._gate.bounds.frames), origin.frames)
        self._session = self._gate.open_session()
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        keep_alive(transport.get_extra_info("socket"))
        self._set_deadline(self._gate.bounds.handshake_seconds)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the event loop puts what it reads."""
        return _VIEW

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have been read."""
        if self._state is _State.OPEN:
            self._gate.metrics.bytes_in += nbytes
            self._take(_VIEW[:nbytes])

    def _take(self, data: memoryview | bytes) -> None:
        """Whatever goes wrong with what a peer has sent concerns this peer only."""
        try:
            self._handle(self._session.receive(data))  # type: ignore[arg-type]  # a bytearray takes either
        except RemoteError as error:
            log.info("%r: %s", self, error)
            self._gate.metrics.errors[error.code] += 1
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
            self._stall = self._loop.call_later(self._gate.bounds.stall_seconds, self.cut_off)

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
        self._count(0)
        self._gate.lost(self)

    # --- inside ---

    def _handle(self, events: Iterator[Event]) -> None:
        """One event after the other, as fast as the rates allow; the rest waits, and the peer is not read from."""
        now, taken = self._loop.time(), 0
        while self._state is _State.OPEN:
            if wait := max(rate.wait(now) for rate in self._rates):
                self._pause(wait)
                return
            event = next(events, None)
            if event is None:
                break
            self._charge(1, now)
            taken += 1
            self._gate.metrics.records_in += 1
            match event:
                case Received(payload):
                    self._gate.message(self, payload)
                case Established(peer):
                    self.identity = peer
                    self._gate.identified(self)
                case Closed():
                    self.end(None)
        if self.open and self.phase is Phase.GREETING and (reply := self._session.outgoing()):
            self._enqueue(reply)
        self._time_frame(taken > 0)

    def _time_frame(self, another: bool) -> None:
        """A frame that has begun must end in time, once the hello has; `another`: the one before it has ended."""
        if not self.open or self.phase is Phase.GREETING:
            return
        if not self._session.partial:
            self._set_deadline(None)
        elif another or self._deadline is None:
            self._set_deadline(self._gate.bounds.frame_seconds)

    def _pause(self, seconds: float) -> None:
        self._gate.metrics.pauses += 1
        self._transport.pause_reading()
        self._paused = self._loop.call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        """What had to wait, and then what has come since."""
        self._paused = None
        self._take(b"")
        self._read_on()

    def _read_on(self) -> None:
        if self._state is _State.OPEN and self._paused is None and not self._holders:
            self._transport.resume_reading()

    def _enqueue(self, record: bytes) -> None:
        self._out.append(record)
        self._count(self.queued + len(record))
        self._gate.metrics.records_out += 1
        self._gate.metrics.bytes_out += len(record)
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

    def _count(self, queued: int) -> None:
        self._gate.queued += queued - self.queued
        self.queued = queued

    def _drained(self) -> None:
        self._count(self._transport.get_write_buffer_size())
        if not self.busy:
            self._release()
            if self.lagging and self.room is not None:
                self.room.pump(self)

    def _release(self) -> None:
        held, self._held = self._held, []
        for sender in held:
            sender._holders -= 1
            sender._read_on()

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
            if self._paused is not None:
                self._paused.cancel()
            self._release()
            self._gate.ending(self)

    def _set_deadline(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self._loop.call_later(seconds, self._overdue)

    def _overdue(self) -> None:
        greeting = self.phase is Phase.GREETING
        if self._state is not _State.OPEN:
            self.abort()
        elif not greeting and (self._paused is not None or self._holders):  # it is we who do not read
            self._set_deadline(self._gate.bounds.frame_seconds)
        else:
            log.info("%r: no %s in time", self, "hello" if greeting else "end of a frame")
            self._gate.metrics.no_hello += greeting
            self.end(Code.TOO_SLOW, error=True)

    def _stop_stall(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None
