"""One peer's connection: its session, its deadlines and what is queued for it. It knows nothing of
tables and matches.

Everything is synchronous: bytes come in, the receiver is told, what it sends is queued, and the
queue goes out once in a turn of the event loop. Nobody ever waits for a peer to read: what is
queued is bounded, and a peer that takes nothing for too long is cut off. A peer that sends more
than its rate allows is read from more slowly, and it alone. So is one whose address has spent more
than its share of the processor, while others want it.
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
from table.net.read_line import ReadLine
from table.net.read_throttle import ReadThrottle
from table.net.refusal_log import RefusalLog
from table.net.send_queue import Queues, SendQueue
from table.net.tickets import TicketSeat
from table.net.timer import Timer
from table.net.token_bucket import TokenBucket

log = logging.getLogger(__name__)


class Receiver(Protocol):
    """Who is told what one connection brings."""

    def identified(self) -> None:
        """The peer has proved that it is `connection.identity`. Raises: RemoteError if it may not
        stay.
        """

    def message(self, payload: bytes) -> None:
        """The peer has sent a message. Raises: RemoteError if it broke the protocol by it."""

    def drained(self) -> None:
        """The peer has read: there is room for more."""

    def ended(self) -> None:
        """Nothing more will come from the peer or go to it. Called once."""


class Admitted(NamedTuple):
    """What a connection is given that may stay."""

    receiver: Receiver
    frames: TokenBucket  # what may come from its address
    session: Session  # of the table's side
    payer: ConnectionPayer  # of the processor time that it causes


class ConnectionAcceptor(Queues, Protocol):
    """Who lets connections in, and counts them."""

    bounds: Bounds
    line: ReadLine  # of those who wait for processor time
    refusals: RefusalLog

    def admit(self, connection: "Connection") -> Admitted | None:
        """A peer has connected; None if it may not stay."""

    def overfull(self) -> None:
        """Too much is queued in all: somebody has to go, in the next turn of the loop."""

    def shown(self, connection: "Connection", ticket: TicketShown | None) -> None:
        """The peer's first message has come, with a ticket or without."""

    def turn_away(self, connection: "Connection") -> None:
        """The connection has waited outside for nothing."""

    def settled(self, connection: "Connection") -> None:
        """The connection is half open no more: the peer has said hello, or is on its way out."""

    def lost(self, connection: "Connection") -> None:
        """The socket is closed. Called once for each admitted connection."""


class _State(Enum):
    OPEN = "open"
    ENDING = "ending"  # we have said the last word, and wait a little for the peer to read it
    GONE = "gone"


_OPEN, _ENDING, _GONE = _State  # looked up for each message, which takes longer in the class

# One buffer for all connections: what a read puts into it is taken out before the next read.
_BUFFER = bytearray(READ_CHUNK)
_VIEW = memoryview(_BUFFER)


class Reading(asyncio.BufferedProtocol):
    """Whoever is read from, no more than `READ_CHUNK` at a time."""

    __slots__ = ()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the event loop puts what it reads."""
        return _VIEW

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have been read."""
        self.received(_VIEW[:nbytes])

    def received(self, data: memoryview | bytes) -> None:
        """These bytes have come: they are gone after this."""
        raise NotImplementedError


class Connection(Reading):
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
        """`address`: what counts as the peer's, as `peers.source` has it; empty: where the socket
        comes from. `refusal`: why there is no place for it, so that it needs a ticket.
        """
        self.refusal = refusal
        # whose ticket it has shown, and with whose key it has to go on
        self.ticket_seat: TicketSeat | None = None
        self.identity, self.address = b"", address
        self.heard = 0.0  # when the newest bytes came, seconds of the loop's clock
        self.arrived = 0.0  # when they may have come, where we did not read for a while
        self.ordinal = 0  # which connection of the table's it is, in the order they were admitted
        # what the peer has cost so far
        self.bytes_in = self.records_in = self.refused_posts = 0
        self.reads_logs = False  # it pays for what it is sent
        self.since = loop.time()
        self._gate, self._loop = gate, loop
        self._state, self._greeted = _GONE, False
        # something has begun to arrive that the session has seen nothing of yet
        self._begun = False
        self._time_left = 0.0  # seconds for the hello, when the table ceased to read
        # for the hello, then for a frame, at last for the end
        self._deadline = Timer(loop, self._overdue)
        self._stall = Timer(loop, self.cut_off)

    def __repr__(self) -> str:
        return short_fingerprint(self.identity) if self.identity else "a newcomer"

    # --- for who receives ---

    @property
    def open(self) -> bool:
        """Whether messages still go both ways."""
        return self._state is _OPEN

    @property
    def busy(self) -> bool:
        """Whether so much is queued that nothing more should be fetched for this peer."""
        return self.outbox.busy

    @property
    def takes_talk(self) -> bool:
        """Whether so little is queued that talk may be added: entries are not to wait for much of
        it.
        """
        most = self._gate.bounds.talk_queued
        return self.outbox.queued <= most or self.outbox.recount() <= most

    @property
    def queued(self) -> int:
        """Bytes that are queued for this peer."""
        return self.outbox.queued

    def send(self, message: bytes) -> None:
        """Queue an encoded message; nothing happens if the connection is ending."""
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
            gate.overfull()

    def send_error(self, code: Code) -> None:
        """Queue an `error`."""
        self.send(messages.encode("error", str(code)))

    def charge(self, frames: int) -> None:
        """What this peer has sent cost as much as so many frames more."""
        self.intake.charge(frames, self._loop.time())

    def greeted(self) -> None:
        """The peer has said hello in time."""
        self._greeted = True
        self._deadline.stop()
        self._gate.settled(self)

    def end(self, code: Code | None, *, error: bool = False) -> None:
        """Say why in a close record (and in an `error` before it), and drop the connection soon
        after.
        """
        if self._state is not _OPEN:
            return
        if error and code is not None and self._session.writable:
            self.send_error(code)
        if self._state is _OPEN:  # the error may have been one too many
            self._last_word(code)

    def let_in(self, seat: TicketSeat) -> None:
        """The ticket that it has shown is good: it has time for the handshake."""
        self.refusal, self.ticket_seat = None, seat
        self._deadline.set(self._gate.bounds.handshake_seconds)

    def turn_away(self, last_word: bytes) -> None:
        """Say why there is no place for the peer, and hang up."""
        if self._state is _OPEN:
            self._leave_open_state()
            self._transport.write(last_word)
            self._transport.close()

    def fell_silent(self) -> None:
        """Drop a connection over which nothing comes any more: its line is dead."""
        self._tell("says nothing any more: dropped")
        self._gate.metrics.silent_lines += 1
        self.end(Code.TOO_SLOW)

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._state is not _GONE:
            self._leave_open_state()
            self._transport.abort()
            self.outbox.clear()

    def cut_off(self) -> None:
        """The peer does not read: it cannot be told anything either."""
        self._tell("does not read what it is sent: cut off")
        self._gate.metrics.slow_readers += 1
        self.abort()

    def _tell(self, what: str) -> None:
        """Write to the log what the peer did, unless others did it just before."""
        self._gate.refusals.add(what, self.address, self._loop.time())

    # --- from the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer has connected."""
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
        """These bytes have come; `begun`: and a part of a frame that who hands them over keeps
        until it is whole.
        """
        if self._state is _OPEN:
            self.heard = self.arrived = self._loop.time()
            if self.intake.held_since is not None:
                self.arrived, self.intake.held_since = self.intake.held_since, None
            self._gate.metrics.bytes_in += len(data)
            self.bytes_in += len(data)
            self._begun = begun
            self._take(data)

    def broken(self, code: Code) -> None:
        """What came cannot be taken apart any more."""
        if self._state is _OPEN:
            self._tell(f"dropped: {code}")
            self._gate.metrics.errors[code] += 1
            self.end(code, error=True)

    def eof_received(self) -> None:
        """The peer sends nothing more; the transport closes itself after this."""
        if self._state is _OPEN:
            if (code := self._session.eof()) is not None:
                self._tell(f"gone: {code}")
            self.end(None)

    def pause_writing(self) -> None:
        """The peer does not read as fast as others send to it."""
        if not self._stall.running:
            self._stall.set(self._gate.bounds.stall_seconds)

    def resume_writing(self) -> None:
        """The peer has read."""
        self._stall.stop()
        self._drained()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        if self._state is _GONE:
            return
        self._leave_open_state()
        self._state = _GONE
        self._gate.lost(self)
        # no circle is left: frozen ones stay until nobody plays (`table.ops.garbage`)
        self._stall.close()
        self._deadline.close()
        self.outbox.close()
        del self._receiver

    # --- inside ---

    def _take(self, data: memoryview | bytes) -> None:
        """Whatever goes wrong with what a peer has sent concerns this peer only."""
        try:
            self._handle(self._session.receive_with_ticket(data))  # type: ignore[arg-type]  # a bytearray takes either
        except RemoteError as error:
            self.broken(error.code)
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
        """One event after the other, as fast as the rates allow; the rest waits, and the peer is
        not read from.
        """
        now, intake, taken = self._loop.time(), self.intake, 0
        line, payer = self._gate.line, self.payer
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
                    if line.must_wait(payer):
                        self._gate.metrics.held += 1
                        intake.hold(line, payer)
                        return
                event = next(events, None)
                if event is None:
                    break
                if isinstance(event, FirstMessage):
                    self._gate.shown(self, event.ticket)
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
        """The beginning or the end of the session."""
        match event:
            case PeerAuthenticated(peer):
                self.identity = peer
                self.payer.identify(peer)
                self._receiver.identified()
            case SessionClosed():
                self.end(None)

    def _time_frame(self, another: bool) -> None:
        """A frame that has begun must end in time, once the hello has; `another`: the one before it
        has ended.
        """
        if not self.open or not self._greeted:
            return
        if not self._session.has_partial and not self._begun:
            self._deadline.stop()
        elif another or not self._deadline.running:
            self._deadline.set(self._gate.bounds.frame_seconds)

    def _on_wait(self, begins: bool) -> None:
        """The table reads nothing for a time, or reads again: that was not the newcomer's time."""
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

    def _last_word(self, code: Code | None) -> None:
        """Half close, and throw away what still comes: closing a socket with bytes unread in it
        resets the connection, and the peer would never read why. One that has not proved who it is,
        is told nothing."""
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
            self._gate.settled(self)
            self._receiver.ended()

    def _overdue(self) -> None:
        if self._state is not _OPEN:
            self.abort()
        elif self.intake.waiting:  # the table does not read: that is not the peer's time
            bounds = self._gate.bounds
            self._deadline.set(bounds.frame_seconds if self._greeted else bounds.handshake_seconds)
        elif self.refusal is not None:
            self._gate.turn_away(self)
        else:
            what = "end of a frame" if self._greeted else "hello"
            self._tell(f"dropped: no {what} in time")
            self._gate.metrics.no_hello += not self._greeted
            self.end(Code.TOO_SLOW, error=True)
