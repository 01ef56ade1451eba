"""Connection of one peer: session, deadlines and send queue. It knows nothing of tables and matches.

Everything is synchronous: bytes come in, the receiver is called, its messages are queued, and the
queue goes out once in a turn of the event loop. Nobody ever waits for a peer to read: the queue is
bounded, and a peer that takes nothing for too long is cut off. The table reads more slowly from a
peer that sends more than its rate allows, and from that peer alone. The same holds for a peer whose
address has spent more than its share of the processor, while other addresses want it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, Protocol, cast

from commandline.log_output import where
from net.socket_options import keep_alive, limit_unsent
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import short_fingerprint
from protocol.limits import HIGH_WATER, READ_CHUNK
from protocol.messages import table as messages
from protocol.session.session import (
    FirstMessage,
    MessageReceived,
    PeerAuthenticated,
    Session,
    SessionClosed,
    SessionEvent,
)
from protocol.session.ticket import TicketShown
from table.config import Bounds
from table.net.addresses import counted_address
from table.net.admission import Refusal
from table.net.processor_time import METER, ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.read_throttle import ReadThrottle
from table.net.refusal_log import RefusalLog
from table.net.send_queue import Queues, SendQueue
from table.net.tickets import TicketSeat
from table.net.timer import Timer
from table.net.token_bucket import TokenBucket

log = logging.getLogger(__name__)


class Receiver(Protocol):
    """Consumer of the events of one connection."""

    def identified(self) -> None:
        """Act on the peer's proof that it is `connection.identity`. Raises: RemoteError if it may not
        stay.
        """

    def message(self, payload: bytes) -> None:
        """Process a message. Raises: RemoteError if it breaks the protocol."""

    def drained(self) -> None:
        """Go on sending, since the peer has read."""

    def ended(self) -> None:
        """Free all that the peer held: nothing more comes from it or goes to it. Called once."""


class ConnectionSetup(NamedTuple):
    """Objects with which an admitted connection works."""

    receiver: Receiver
    frames: TokenBucket  # what may come from its address
    session: Session  # of the table's side
    payer: ConnectionPayer  # of the processor time that it causes


class ConnectionAcceptor(Queues, Protocol):
    """Owner of all connections: admits and counts them."""

    bounds: Bounds
    read_queue: ReadQueue  # of connections that wait for processor time
    refusals: RefusalLog

    def admit(self, connection: "Connection") -> ConnectionSetup | None:
        """Admit a new connection; None if there is no place for it."""

    def queue_limit_exceeded(self) -> None:
        """Cut off the peers with the longest queues, in the next turn of the loop: the queues of all
        peers together exceed their bound.
        """

    def first_message_received(self, connection: "Connection", ticket: TicketShown | None) -> None:
        """Judge the peer's first message, which has a ticket or none."""

    def turn_away(self, connection: "Connection") -> None:
        """Refuse a connection that has waited outside and shown no good ticket in time."""

    def half_open_ended(self, connection: "Connection") -> None:
        """Count the connection as half open no more: the peer has said hello, or the connection
        ends.
        """

    def connection_closed(self, connection: "Connection") -> None:
        """Forget a connection whose socket is closed. Called once for each admitted connection."""


class _State(Enum):
    OPEN = "open"
    ENDING = "ending"  # the last record is queued; the peer has a little time to read it
    GONE = "gone"


_OPEN, _ENDING, _GONE = _State  # looked up for each message, which takes longer in the class

# One buffer for all connections: what a read puts into it is taken out before the next read.
_BUFFER = bytearray(READ_CHUNK)
_VIEW = memoryview(_BUFFER)


class SharedBufferProtocol(asyncio.BufferedProtocol):
    """Protocol that reads at most `READ_CHUNK` bytes at a time, into the buffer of all connections."""

    __slots__ = ()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer into which the event loop reads."""
        return _VIEW

    def buffer_updated(self, nbytes: int) -> None:
        """Pass on the bytes that the event loop has read."""
        self.received(_VIEW[:nbytes])

    def received(self, data: memoryview | bytes) -> None:
        """Process bytes from the peer. The memory is reused after the call."""
        raise NotImplementedError


class Connection(SharedBufferProtocol):
    """One peer's connection. `identity` is empty until the peer has proved who it is."""

    __slots__ = (
        "_begun",
        "_deadline",
        "_gate",
        "_greeted",
        "_loop",
        "_receiver",
        "_session",
        "_stall",
        "_state",
        "_time_left",
        "_transport",
        "address",
        "arrived",
        "bytes_in",
        "heard",
        "identity",
        "intake",
        "ordinal",
        "outbox",
        "payer",
        "reads_logs",
        "records_in",
        "refusal",
        "refused_posts",
        "since",
        "ticket_seat",
    )
    _transport: asyncio.Transport
    _session: Session
    _receiver: Receiver
    payer: ConnectionPayer
    intake: ReadThrottle
    outbox: SendQueue

    def __init__(
        self,
        gate: ConnectionAcceptor,
        loop: asyncio.AbstractEventLoop,
        address: str = "",
        refusal: Refusal | None = None,
    ) -> None:
        """`address`: address group of the peer (`table.net.addresses`); empty: that of the socket.
        `refusal`: the reason why there is no place for it, so that it needs a ticket.
        """
        self.refusal = refusal
        # seat of the ticket that it has shown; it must prove the key of that seat
        self.ticket_seat: TicketSeat | None = None
        self.identity, self.address = b"", address
        self.heard = 0.0  # when the newest bytes came, seconds of the loop's clock
        self.arrived = 0.0  # earliest time at which they may have come, if reading was paused
        self.ordinal = 0  # number of the connection, in the order of admission
        # what the peer has cost so far
        self.bytes_in = self.records_in = self.refused_posts = 0
        self.reads_logs = False  # it pays for what it is sent
        self.since = loop.time()
        self._gate, self._loop = gate, loop
        self._state, self._greeted = _GONE, False
        # a frame has begun of which the session has seen nothing yet
        self._begun = False
        self._time_left = 0.0  # seconds for the hello, when the table ceased to read
        # for the hello, then for a frame, at last for the end
        self._deadline = Timer(loop, self._overdue)
        self._stall = Timer(loop, self.cut_off)

    def __repr__(self) -> str:
        return short_fingerprint(self.identity) if self.identity else "a newcomer"

    # --- from the receiver ---

    @property
    def open(self) -> bool:
        """Messages still go both ways."""
        return self._state is _OPEN

    @property
    def busy(self) -> bool:
        """So much is queued that nothing more should be fetched for this peer."""
        return self.outbox.busy

    @property
    def takes_talk(self) -> bool:
        """So little is queued that talk may be added, and entries do not wait for much of it."""
        most = self._gate.bounds.talk_queued
        return self.outbox.queued <= most or self.outbox.recount() <= most

    @property
    def queued(self) -> int:
        """Bytes that are queued for this peer."""
        return self.outbox.queued

    def send(self, message: bytes) -> None:
        """Queue an encoded message; drop it if the connection is ending."""
        if self._state is not _OPEN:
            return
        if self.reads_logs:
            before = METER.switch(self.payer)
            self._send(message)
            METER.switch(before)
        else:
            self._send(message)

    def _send(self, message: bytes) -> None:
        outbox, gate = self.outbox, self._gate
        outbox.put(self._session.send(message))
        if outbox.queued > gate.bounds.queued and outbox.recount() > gate.bounds.queued:
            self.cut_off()
        elif gate.queued > gate.bounds.queued_in_all:
            gate.queue_limit_exceeded()

    def send_error(self, code: Code) -> None:
        """Queue an `error`."""
        self.send(messages.encode("error", str(code)))

    def charge(self, frames: int) -> None:
        """Count additional frames for a message that costs more than one."""
        self.intake.charge(frames, self._loop.time())

    def hello_received(self) -> None:
        """Stop the deadline for the hello, which has come."""
        self._greeted = True
        self._deadline.stop()
        self._gate.half_open_ended(self)

    def end(self, code: Code | None, *, error: bool = False) -> None:
        """Send the reason in a close record, with `error` also in an `error` message before it, and
        drop the connection soon after.
        """
        if self._state is not _OPEN:
            return
        if error and code is not None and self._session.writable:
            self.send_error(code)
        if self._state is _OPEN:  # the error message may have been too much for the queue
            self._send_close(code)

    def let_in(self, seat: TicketSeat) -> None:
        """Give the bearer of a good ticket time for the handshake."""
        self.refusal, self.ticket_seat = None, seat
        self._deadline.set(self._gate.bounds.handshake_seconds)

    def turn_away(self, last_word: bytes) -> None:
        """Send the reason why there is no place for the peer, and hang up."""
        if self._state is _OPEN:
            self._leave_open_state()
            self._transport.write(last_word)
            self._transport.close()

    def drop_silent(self) -> None:
        """Drop a connection whose peer has been silent for too long: its line is dead."""
        self._log("says nothing any more: dropped")
        self._gate.metrics.silent_lines += 1
        self.end(Code.TOO_SLOW)

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._state is not _GONE:
            self._leave_open_state()
            self._transport.abort()
            self.outbox.clear()

    def cut_off(self) -> None:
        """Drop a connection whose peer does not read, without a last record."""
        self._log("does not read what it is sent: cut off")
        self._gate.metrics.slow_readers += 1
        self.abort()

    def _log(self, what: str) -> None:
        """Write to the log what the peer did, unless others did it just before."""
        self._gate.refusals.add(what, self.address, self._loop.time())

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for admission, and start the deadline for the hello or the ticket."""
        self._transport = cast(asyncio.Transport, transport)
        self.address = self.address or counted_address(transport.get_extra_info("peername"))
        admitted = self._gate.admit(self)
        if admitted is None:
            self._transport.abort()
            return
        self._receiver, frames, self._session, self.payer = admitted
        rates = (TokenBucket(self._gate.bounds.frames), frames)
        # what had to wait
        self.intake = ReadThrottle(
            self._transport,
            self._loop,
            rates,
            lambda: self._take(b""),
            self._on_wait,
        )
        self.outbox = SendQueue(self._transport, self._loop, self._gate, self._drained)
        self._state = _OPEN
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        line = transport.get_extra_info("socket")
        keep_alive(line)
        limit_unsent(line)
        bounds = self._gate.bounds
        self._deadline.set(
            bounds.handshake_seconds if self.refusal is None else bounds.outside_seconds
        )

    def received(self, data: memoryview | bytes, begun: bool = False) -> None:
        """Process bytes from the peer. `begun`: the caller keeps the first part of another frame until
        that is whole.
        """
        if self._state is _OPEN:
            self.heard = self.arrived = self._loop.time()
            if self.intake.held_since is not None:
                self.arrived, self.intake.held_since = self.intake.held_since, None
            self._gate.metrics.bytes_in += len(data)
            self.bytes_in += len(data)
            self._begun = begun
            self._take(data)

    def protocol_error(self, code: Code) -> None:
        """Drop a connection whose bytes cannot be split into frames or decrypted."""
        if self._state is _OPEN:
            self._log(f"dropped: {code}")
            self._gate.metrics.errors[code] += 1
            self.end(code, error=True)

    def eof_received(self) -> None:
        """End the connection, since the peer sends nothing more. The transport closes itself then."""
        if self._state is _OPEN:
            if (code := self._session.eof()) is not None:
                self._log(f"gone: {code}")
            self.end(None)

    def pause_writing(self) -> None:
        """Start the time in which the peer must read."""
        if not self._stall.running:
            self._stall.set(self._gate.bounds.stall_seconds)

    def resume_writing(self) -> None:
        """Stop that time, since the peer has read."""
        self._stall.stop()
        self._drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, whose socket is closed."""
        if self._state is _GONE:
            return
        self._leave_open_state()
        self._state = _GONE
        self._gate.connection_closed(self)
        # no circle is left: frozen ones stay until nobody plays (`table.ops.garbage`)
        self._stall.close()
        self._deadline.close()
        self.outbox.close()
        del self._receiver

    # --- inside ---

    def _take(self, data: memoryview | bytes) -> None:
        """Process bytes; an error in them ends this connection, and harms nobody else."""
        try:
            self._handle(self._session.receive_with_ticket(data))  # type: ignore[arg-type]  # a bytearray takes either
        except RemoteError as error:
            self.protocol_error(error.code)
        except Exception as error:
            log.error(
                "%r: %s in a handler\n%s",
                self,
                type(error).__name__,
                where(error),
                extra={"address": self.address},
            )
            self.end(Code.INTERNAL, error=True)

    def _handle(self, events: Iterator[SessionEvent | FirstMessage]) -> None:
        """Process one event after the other as fast as the rates allow. The rest waits, and reading
        pauses.
        """
        now, intake, taken = self._loop.time(), self.intake, 0
        queue, payer = self._gate.read_queue, self.payer
        before = METER.switch(payer)
        try:
            while self._state is _OPEN:
                if intake.left < 1 and (wait := intake.wait(now)):
                    self._gate.metrics.pauses += 1
                    intake.pause(wait)
                    return
                if not taken or self._session.has_partial:
                    if taken:
                        METER.read()
                    if queue.must_wait(payer):
                        self._gate.metrics.held += 1
                        intake.hold(queue, payer)
                        return
                event = next(events, None)
                if event is None:
                    break
                if isinstance(event, FirstMessage):
                    self._gate.first_message_received(self, event.ticket)
                    continue
                intake.left -= 1
                taken += 1
                if isinstance(event, MessageReceived):
                    self._receiver.message(event.payload)
                else:
                    self._take_other(event)
        finally:
            METER.switch(before)
            intake.settle(now)
            self._gate.metrics.records_in += taken
            self.records_in += taken
        if self.open and not self._greeted and (reply := self._session.take_handshake_bytes()):
            self.outbox.put(reply)
        self._time_frame(taken > 0)

    def _take_other(self, event: SessionEvent) -> None:
        """Process the beginning or the end of the session."""
        match event:
            case PeerAuthenticated(peer):
                self.identity = peer
                self.payer.identify(peer)
                self._receiver.identified()
            case SessionClosed():
                self.end(None)

    def _time_frame(self, another: bool) -> None:
        """Set the deadline for a frame that has begun, after the hello. `another`: the frame before it
        has ended.
        """
        if not self.open or not self._greeted:
            return
        if not self._session.has_partial and not self._begun:
            self._deadline.stop()
        elif another or not self._deadline.running:
            self._deadline.set(self._gate.bounds.frame_seconds)

    def _on_wait(self, begins: bool) -> None:
        """Stop the deadline of a newcomer while the table does not read, and start it again."""
        if self._greeted or self._state is not _OPEN:
            return
        if begins:
            self._time_left = self._deadline.left
        else:
            self._deadline.set(self._time_left)

    def _drained(self) -> None:
        self.outbox.recount()
        if not self.busy:
            self._receiver.drained()

    def _send_close(self, code: Code | None) -> None:
        """Send a close record, half close, and discard what still comes: to close a socket with
        unread bytes resets the connection, and the peer would never read the reason. A peer that has
        not proved its identity gets no reason.
        """
        record = self._session.close(code)
        if not record:
            self.abort()
            return
        self._leave_open_state()
        self.outbox.put(record)
        self.outbox.flush()
        self._transport.resume_reading()
        with contextlib.suppress(OSError):
            self._transport.write_eof()
        self._deadline.set(self._gate.bounds.close_seconds)

    def _leave_open_state(self) -> None:
        if self._state is _OPEN:
            self._state = _ENDING
            self.intake.stop()
            self._gate.half_open_ended(self)
            self._receiver.ended()

    def _overdue(self) -> None:
        if self._state is not _OPEN:
            self.abort()
        elif self.intake.waiting:  # the table does not read, so the peer's time stands still
            bounds = self._gate.bounds
            self._deadline.set(bounds.frame_seconds if self._greeted else bounds.handshake_seconds)
        elif self.refusal is not None:
            self._gate.turn_away(self)
        else:
            what = "end of a frame" if self._greeted else "hello"
            self._log(f"dropped: no {what} in time")
            self._gate.metrics.no_hello += not self._greeted
            self.end(Code.TOO_SLOW, error=True)
