"""A player's end of a connection, for cases: every secret is accessible, and every byte can be sent
wrong.

The connection works with any table. It uses only the pure package `protocol`.
"""

import asyncio
import contextlib
from random import Random
from typing import Any

from conformance.case import CaseFailed
from conformance.trace import Trace
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, JoinLink
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Message, Sender
from protocol.session.session import (
    MessageReceived,
    PeerAuthenticated,
    Role,
    Session,
    SessionClosed,
)
from protocol.session.ticket import Ticket

TIMEOUT = 5.0  # seconds to wait for a required answer: half of what a table gives a new connection


class PlayerConnection:
    """A connection. The order of calls is `connect`, `handshake`, `hello`, then `send` and
    `expect`.

    `phase` follows the table's messages, as in a real player. `closed` is the table's close record,
    once received. Every method raises `CaseFailed` if the table breaks the specification.
    """

    def __init__(
        self,
        link: JoinLink,
        seed: int = 1,
        name: str = "Ann",
        identity: Identity | None = None,
        patience: float = TIMEOUT,
        ticket: Ticket | None = None,
        trace: Trace | None = None,
    ) -> None:
        """`patience`: seconds to wait for a required answer; `ticket`: what to show at first;
        `trace`: of the case.
        """
        self.link = link
        self.name = name
        self.patience = patience
        self.trace = (trace or Trace()).line(name)
        self.present: list[int] | None = None  # the connected seats, by the table's last message
        # by seat: since which entry its duty stands, and milliseconds, by the table's last message
        self.waited: list[list[int] | None] = []
        self.trips: list[int | None] = []  # round trips by seat, by the table's last message
        self.answers = True  # whether to answer the table's measurements of the round trip
        self.rng = Random(seed)
        self.identity = identity or Identity(self.rng.randbytes(32))
        self.session = Session(
            Role.PLAYER,
            self.identity,
            self.rng.randbytes(32),
            self.rng,
            link.fingerprint,
            ticket=ticket,
        )
        self.ticket: Ticket | None = None  # the newest one of the table
        self.phase = ConnectionPhase.GREETING
        self.closed: SessionClosed | None = None
        self.inbox: list[MessageReceived | SessionClosed] = []
        self.received = 0  # bytes
        self.frames = 0  # messages received
        self.table_name = ""
        self.table_key = b""
        self.addresses: list[str] = []  # other addresses of the table
        self.match_id = b""
        self.seat: int | None = None
        self.entries = 0  # number of entries in the log when `match` came
        self.claim: list[bytes] | None = None  # the host's newest claim, as `match` has stated it

    # --- bytes ---

    async def connect(self, address: str | None = None) -> "PlayerConnection":
        """Connect, from this machine's `address` if one is given."""
        if self.link.web_scheme:
            # imported late: the library is optional
            from net.websocket_transport import open_websocket_streams

            self.reader, self.writer = await open_websocket_streams(self.link, address)
            return self
        local = (address, 0) if address else None
        self.reader, self.writer = await asyncio.open_connection(
            self.link.host, self.link.port, local_addr=local
        )
        return self

    async def write(self, data: bytes) -> None:
        # The table's last bytes before the end of the connection are still to be read.
        self.trace.sent(data)
        with contextlib.suppress(ConnectionError):
            self.writer.write(data)
            await self.writer.drain()

    async def read(self, seconds: float | None = None) -> bytes:
        """Return the next bytes; empty at the end of the stream, however the stream ended."""
        seconds = seconds or self.patience
        try:
            async with asyncio.timeout(seconds):
                data = await self.reader.read(65_536)
        except ConnectionError:
            data = b""
        except TimeoutError:
            self.trace.note(f"nothing came within {seconds:g} seconds")
            raise CaseFailed(f"no answer within {seconds:g} seconds") from None
        self.trace.received(data)
        self.received += len(data)
        return data

    async def read_to_end(self, seconds: float | None = None) -> bytes:
        """Return all bytes until the end of the stream."""
        parts = []
        while data := await self.read(seconds):
            parts.append(data)
        return b"".join(parts)

    async def close(self, polite: bool = True) -> None:
        """Close with a close record, or as a cut line does: unsent bytes are lost."""
        with contextlib.suppress(ConnectionError):
            if not polite:
                self.writer.transport.abort()
            elif self.session.writable and not self.writer.is_closing():
                self.writer.write(self.session.close())
                self.trace.note("sent a close record")
            self.writer.close()
            await self.writer.wait_closed()

    async def __aenter__(self) -> "PlayerConnection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- session ---

    async def handshake(self) -> "PlayerConnection":
        await self.write(self.session.start())
        while not self.session.writable:
            data = await self.read()
            if not data:
                raise CaseFailed("the table ended the handshake")
            self._take(data)
            if out := self.session.take_handshake_bytes():
                await self.write(out)
        return self

    async def hello(self) -> "PlayerConnection":
        if self.link.invite:
            await self.send("invite", self.link.invite)
        await self.send("hello", VERSION, self.name)
        _, self.table_name, self.addresses = await self.expect("welcome")
        return self

    async def greet(self) -> "PlayerConnection":
        return await (await self.handshake()).hello()

    def record(self, name: str, *values: object) -> bytes:
        """Return a message's bytes on the wire."""
        return self.seal(messages.encode(name, *values))

    def seal(self, payload: bytes) -> bytes:
        """Return a payload's bytes on the wire."""
        return self.trace.sealed(payload, self.session.send(payload))

    async def send(self, name: str, *values: object) -> None:
        await self.write(self.record(name, *values))

    async def send_payload(self, payload: bytes) -> None:
        """Send a record with any payload."""
        await self.write(self.seal(payload))

    async def receive(self, seconds: float | None = None) -> Message | None:
        """Return the next message; None if the table has ended the connection (see `closed`).

        Messages about presence and round trips may come at any time in a match; the method only
        records them. It answers measurements of the round trip.
        """
        while (message := await self._receive(seconds)) is not None and await self._noted(message):
            """Whatever comes behind it."""
        return message

    async def receive_any(self, seconds: float) -> Message | None:
        """Return the next message within so many seconds, whatever it is, and record it."""
        message = await self._receive(seconds)
        if message is not None:
            await self._noted(message)
        return message

    async def _noted(self, message: Message) -> bool:
        """Record a message that may come at any time; return False for any other message."""
        match message.name:
            case "present":
                self.present = message.values[1]
            case "keys":
                """It comes before the greeting, if at all."""
            case "ticket":
                self.ticket = Ticket(*message.values[1:])
            case "trips":
                self.trips = message.values[1]
            case "waited":
                self.waited = message.values[1]
            case "error" if message.values == [str(Code.CANNOT_WRITE)]:
                """It waits for its disk; what comes next comes later."""
            case "ping" if self.answers:
                await self.send("pong", *message.values)
            case "ping":
                """It says nothing."""
            case _:
                return False
        return True

    async def trips_known(self, but: int | None = None) -> None:
        """Wait until the table has sent the round trips of all seats, except the silent seat
        `but`.
        """
        while not self.trips or any(
            (trip is None) is not (seat == but) for seat, trip in enumerate(self.trips)
        ):
            message = await self._receive()
            if message is None or not await self._noted(message):
                raise CaseFailed(f"{self.described(message)} instead of trips")

    async def sees(self, *seats: int) -> None:
        """Wait until the table has said that exactly these seats are connected; no other message
        may come.
        """
        while self.present != list(seats):
            message = await self._receive()
            if message is None or message.name not in ("present", "waited"):
                raise CaseFailed(f"{self.described(message)} instead of present")
            await self._noted(message)

    async def _receive(self, seconds: float | None = None) -> Message | None:
        while not self.inbox:
            data = await self.read(seconds)
            if not data:
                return None
            self._take(data)
        event = self.inbox.pop(0)
        if isinstance(event, SessionClosed):
            self.closed = event
            return None
        try:
            message = messages.decode(event.payload, Sender.TABLE, self.phase)
        except RemoteError as error:
            raise CaseFailed(f"a message that a table may not send now: {error.code}") from None
        self.frames += 1
        self._follow(message)
        return message

    async def expect(self, name: str) -> list[Any]:
        """Return the values of the next message, which must have this name; `waiting` is
        skipped.
        """
        while True:
            message = await self.receive()
            if message is not None and message.name == name:
                return message.values
            if message is None or message.name != "waiting":
                raise CaseFailed(f"{self.described(message)} instead of {name}")

    async def expect_error(self, code: Code) -> None:
        (said,) = await self.expect("error")
        if said != str(code):
            raise CaseFailed(f"error {known_code(said)} instead of {code}")

    async def expect_closed(self, code: Code | None, error: Code | None = None) -> None:
        """Expect that the table closes with `code`, after `error` if given, and then drops the
        connection.
        """
        if error is not None:
            await self.expect_error(error)
        message = await self.receive()
        if message is not None or self.closed != SessionClosed(code):
            raise CaseFailed(f"{self.described(message)} instead of a close record with {code}")
        if await self.read_to_end():
            raise CaseFailed("bytes after a close record")

    def described(self, message: Message | None) -> str:
        """Describe a message without the table's own words."""
        if message is None:
            if self.closed:
                return f"closed with {self.closed.code}"
            return "closed without a close record"
        if message.name in ("error", "refused"):
            return f"{message.name} {known_code(message_code(message))}"
        return message.name

    def _take(self, data: bytes) -> None:
        try:
            for event in self.session.receive(data):
                if isinstance(event, PeerAuthenticated):
                    self.trace.handshake_done(1)
                    self.table_key = event.peer
                else:
                    self._note(event)
                    self.inbox.append(event)
        except RemoteError as error:
            raise CaseFailed(f"the table broke the session: {error.code}") from None

    def _note(self, event: MessageReceived | SessionClosed) -> None:
        if isinstance(event, MessageReceived):
            self.trace.opened(event.payload)
        else:
            self.trace.closed(event.code)

    def _follow(self, message: Message) -> None:
        match message.name:
            case "welcome" | "left":
                self.phase = ConnectionPhase.LOBBY
            case "waiting":
                self.phase = ConnectionPhase.WAITING
            case "match":
                _, self.match_id, self.seat, self.entries, self.claim = message.values
                if self.seat is None:
                    self.phase = ConnectionPhase.WATCHING
                else:
                    self.phase = ConnectionPhase.SEATED

    # --- a match ---

    async def keep_ticket(self) -> Ticket:
        """Wait for the ticket that comes with `match`, say that it is stored, and return it."""
        while self.ticket is None:
            message = await self._receive()
            if message is None or not await self._noted(message):
                raise CaseFailed(f"{self.described(message)} instead of ticket")
        await self.send("kept", self.match_id, self.ticket.shown)
        return self.ticket

    async def join(self, table: str | None = None) -> "PlayerConnection":
        """Reserve a seat, and wait for the table's confirmation or the begin of the match."""
        await self.send("join", table)
        message = await self.receive()
        if message is None or message.name not in ("waiting", "match"):
            raise CaseFailed(f"{self.described(message)} instead of waiting")
        return self


def message_code(message: Message) -> object:
    """Return the code of an `error` or a `refused`."""
    return message.values[-2 if message.name == "refused" else -1]


def known_code(said: object) -> str:
    """Return a code of the specification unchanged; replace anything else by words of the kit."""
    if said in set(map(str, Code)):
        return str(said)
    return "with an unknown code"
