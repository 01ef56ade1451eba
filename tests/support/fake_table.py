"""A table in the test's process for one client at a time. It is honest unless a test overrides a
method.

It also plays the other seats. It listens on localhost, and keeps the match when a connection
breaks.
"""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random

from bots.registry import BOTS
from net.listener import Listener
from player.client.seat import Seat
from protocol.codes import Code
from protocol.errors import Refused
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.log import Record
from protocol.match.log_reader import LogReader
from protocol.match.setup import Person, Setup
from protocol.match.terms import encode_terms
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from protocol.session.session import (
    MessageReceived,
    PeerAuthenticated,
    Role,
    Session,
    SessionClosed,
)
from table.match.live_match import LiveMatch
from tests.support.at_once import StoredAtOnce
from tests.support.offline import make_setup
from tests.support.refusals import refused


class FakeTable:
    """Table with the client at seat 0 and bots at the other seats. Override `shown`, `setup_for`, …
    to make it lie.
    """

    def __init__(self, seats: int = 2, seed: int = 1, **options: object) -> None:
        self.rng = Random(seed)
        self.nonces = Random(5)  # another match has another id
        self.identity = Identity(self.rng.randbytes(32))
        self.others = [Identity(self.rng.randbytes(32)) for _ in range(seats - 1)]
        self.seats, self.options = seats, options
        self.live: LiveMatch | None = None
        self.bots: list[tuple[Seat, LogReader]] = []
        self.connections: list[Wire] = []
        self.received: list[messages.Message] = []  # all messages of the client
        self.addresses: list[str] = []  # addresses in `welcome`
        self.fed = 0  # number of records that the client has got
        # disconnect once, when this many entries have been sent
        self.hang_up_at: int | None = None
        self.silent = False  # True: answer nothing
        self.client_key = b""
        self.finished = asyncio.Event()  # set when the newest connection has ended

    # --- methods that a lying table overrides ---

    def setup_for(self, setup: Setup) -> Setup:
        """Return the setup of the match."""
        return setup

    def announced(self) -> list[object]:
        """Return the values of the message `match`."""
        assert self.live is not None
        return ["main", self.live.log.match_id, 0, len(self.live.records), None]

    def shown(self, record: Record) -> list[Record]:
        """Return the records that the client gets instead of `record`, whose number is `fed`."""
        return [record]

    def refuses(self, raw: bytes) -> Code | None:
        """Return the code of a refusal without a reason, or None."""
        return None

    # --- the message flow ---

    def handle(self, wire: "Wire", name: str, values: list) -> None:
        getattr(self, f"on_{name}")(wire, *values)

    def on_hello(self, wire: "Wire", version: int, name: str) -> None:
        self.name = name
        wire.say("welcome", messages.VERSION, "Fake table", self.addresses)
        wire.phase = ConnectionPhase.LOBBY

    def listing(self) -> list:
        setup = self.plain_setup()
        return ["main", encode_terms(setup.terms), [], 0]

    def on_list(self, wire: "Wire") -> None:
        wire.say("tables", [self.listing()])

    def on_find(self, wire: "Wire", text: str | None, games: list, start: int, most: int) -> None:
        rows = [self.listing()]
        if text is not None:
            rows = [row for row in rows if row[0] == text]
        wire.say("found", text, start, 0, len(rows), rows, None)

    def plain_setup(self) -> Setup:
        made = make_setup(
            self.identity, [Identity(bytes([7]) * 32), *self.others], self.nonces, **self.options
        )
        people = (Person(getattr(self, "name", "?"), self.client_key), *made.people[1:])
        return replace(made, people=people)

    def on_ask_rules(self, wire: "Wire", table_id: str | None) -> None:
        wire.say("rules", "main", b"")

    def on_give_rules(self, wire: "Wire", text: bytes) -> None:
        pass

    def on_join(self, wire: "Wire", table_id: str | None) -> None:
        if self.live is None:
            wire.say("waiting", "main", self.seats, [[self.name, self.client_key]])
            self.begin()
        wire.say("match", *self.announced())
        wire.phase = ConnectionPhase.SEATED

    def on_resume(
        self, wire: "Wire", match_id: bytes, holds: list | None, met: list | None
    ) -> None:
        if self.live is None or match_id != self.live.log.match_id:
            wire.say("error", "wrong_match")
            return
        wire.say("match", *self.announced())
        wire.phase = ConnectionPhase.SEATED

    def begin(self) -> None:
        self.live = StoredAtOnce(
            self.identity, self.setup_for(self.plain_setup()), self.rng.randbytes(32)
        )
        first = self.live.records[0]
        for number, identity in enumerate(self.others, 1):
            self.bots.append((Seat(identity, number, self.rng), LogReader(first.entry, first.head)))

    def on_replay(self, wire: "Wire", match_id: bytes, number: int) -> None:
        self.fed = number
        self.go_on(wire)

    def on_post(self, wire: "Wire", match_id: bytes, raw: bytes) -> None:
        assert self.live is not None
        code = self.refuses(raw)
        try:
            if code is None:
                self.live.offer(raw, 0)
        except Refused as refusal:
            code = refusal.code
        # a refusal follows the entry that may have been its reason
        if code is not None and self.show(wire):
            wire.say("refused", match_id, *refused(self.live, raw, code))
        self.go_on(wire)

    def on_relay(self, wire: "Wire", match_id: bytes, seat: int, envelope: bytes) -> None:
        """Ignore an envelope, which is kept in `received`."""

    def go_on(self, wire: "Wire") -> None:
        """Let the bots post, and send the client new records."""
        assert self.live is not None
        while any(self.bot_step(seat, reader) for seat, reader in self.bots):
            """Somebody posted, so somebody else may have to."""
        if self.show(wire) and self.live.match.over:
            wire.say("left")

    def show(self, wire: "Wire") -> bool:
        """Send the client new records. Return False if the connection is closed."""
        assert self.live is not None
        for record in self.live.records[self.fed :]:
            for shown in self.shown(record):
                wire.say("entry", self.live.log.match_id, self.fed, *shown)
            self.fed += 1
            if self.hang_up_at is not None and self.fed >= self.hang_up_at:
                self.hang_up_at = None
                wire.transport.abort()
                return False
        return True

    def bot_step(self, seat: Seat, reader: LogReader) -> bool:
        assert self.live is not None
        for record in self.live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)
        post = None if reader.over else seat.respond(reader.match)
        if post is None and not reader.over and seat.choices(reader.match):
            post = seat.move(reader.match, BOTS["greedy"](seat.view(reader.match), self.rng))
        if post is None:
            return False
        self.live.offer(seat.entry(reader.log, post), seat.number)
        return True


class Wire(asyncio.Protocol):
    """A connection to the fake table."""

    def __init__(self, table: FakeTable) -> None:
        self.table, self.phase = table, ConnectionPhase.GREETING
        self.session = Session(Role.TABLE, table.identity, table.rng.randbytes(32), table.rng)
        self.closed: SessionClosed | None = None
        table.connections.append(self)
        table.finished.clear()

    def say(self, name: str, *values: object) -> None:
        if self.session.writable and not self.transport.is_closing():
            self.transport.write(self.session.send(messages.encode(name, *values)))

    def connection_made(self, transport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        for event in self.session.receive(data):
            match event:
                case PeerAuthenticated(peer):
                    self.table.client_key = peer
                case MessageReceived(payload) if not self.table.silent:
                    message = messages.decode(payload, Sender.PLAYER, self.phase)
                    self.table.received.append(message)
                    self.table.handle(self, *message)
                case SessionClosed():
                    self.closed = event
        self.transport.write(self.session.take_handshake_bytes())

    def connection_lost(self, error) -> None:
        self.table.finished.set()


@asynccontextmanager
async def listening(table: FakeTable):
    """Let a table listen. Yield its link."""
    listener = Listener("127.0.0.1", 0, lambda _: None, lambda: Wire(table))
    try:
        yield JoinLink("127.0.0.1", listener.port, fingerprint(table.identity.public))
    finally:
        listener.close()
        for wire in table.connections:
            wire.transport.abort()
