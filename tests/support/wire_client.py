"""A player's end of a connection for tests: nothing is hidden, every byte can be sent wrong."""

import asyncio
import contextlib
from random import Random

from player.bots import BOTS
from player.seat import Seat
from protocol import messages
from protocol.codes import Code
from protocol.identity import Identity, JoinLink
from protocol.logfile import MAGIC, encode_record
from protocol.messages import VERSION, Message, Phase, Sender
from protocol.reader import Reader
from protocol.session import Closed, Established, Role, Session

TIMEOUT = 10  # seconds; a test that waits so long has failed


class WireClient:
    """One connection. After `connect`: `handshake`, `hello`, then `send` and `expect`.

    `phase` follows what the table says, as a real player's would; `closed` is the table's close record once it came.
    """

    def __init__(self, link: JoinLink, seed: int = 1, name: str = "Ann", identity: Identity | None = None) -> None:
        self.link, self.name = link, name
        self.rng = Random(seed)
        self.identity = identity or Identity(self.rng.randbytes(32))
        self.session = Session(Role.PLAYER, self.identity, self.rng.randbytes(32), self.rng, link.fingerprint)
        self.phase = Phase.GREETING
        self.closed: Closed | None = None
        self.inbox: list[object] = []
        self.received = 0  # bytes
        self.frames = 0  # messages received
        self.match_id = b""
        self.seat: int | None = None
        self.entries = 0  # in the log, when `match` came

    # --- bytes ---

    async def connect(self) -> "WireClient":
        self.reader, self.writer = await asyncio.open_connection(self.link.host, self.link.port)
        return self

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def read(self) -> bytes:
        """What has come; empty at the end of the stream, however it ended."""
        try:
            data = await asyncio.wait_for(self.reader.read(65_536), TIMEOUT)
        except ConnectionError:
            return b""
        self.received += len(data)
        return data

    async def read_to_end(self) -> bytes:
        """Everything until the stream ends."""
        parts = []
        while data := await self.read():
            parts.append(data)
        return b"".join(parts)

    async def close(self, polite: bool = True) -> None:
        if polite and self.session.writable:
            self.writer.write(self.session.close())
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    async def __aenter__(self) -> "WireClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- session ---

    async def handshake(self) -> "WireClient":
        await self.write(self.session.start())
        while not self.session.writable:
            data = await self.read()
            assert data, "the table ended the handshake"
            self._take(data)
            if out := self.session.outgoing():
                await self.write(out)
        return self

    async def hello(self) -> "WireClient":
        await self.send("hello", VERSION, self.name)
        await self.expect("welcome")
        return self

    async def greet(self) -> "WireClient":
        return await (await self.handshake()).hello()

    def record(self, name: str, *values: object) -> bytes:
        """A message's bytes as they go over the wire."""
        return self.session.send(messages.encode(name, *values))

    async def send(self, name: str, *values: object) -> None:
        await self.write(self.record(name, *values))

    async def send_payload(self, payload: bytes) -> None:
        """A record with any payload in it."""
        await self.write(self.session.send(payload))

    async def receive(self) -> Message | None:
        """The next message; None when the table has ended the connection (see `closed`)."""
        while not self.inbox:
            data = await self.read()
            if not data:
                return None
            self._take(data)
        event = self.inbox.pop(0)
        if isinstance(event, Closed):
            self.closed = event
            return None
        message = messages.decode(event.payload, Sender.TABLE, self.phase)
        self.frames += 1
        self._follow(message)
        return message

    async def expect(self, name: str) -> list:
        """The values of the next message, which must have this name (`waiting` is skipped over)."""
        while True:
            message = await self.receive()
            assert message is not None, f"closed ({self.closed}) instead of {name}"
            if message.name == name:
                return message.values
            assert message.name == "waiting", f"{message} instead of {name}"

    async def expect_error(self, code: Code) -> None:
        assert await self.expect("error") == [str(code)]

    async def expect_closed(self, code: Code | None, error: Code | None = None) -> None:
        """The table closes with this code (after an `error`, if one is named), and then drops the connection."""
        if error is not None:
            await self.expect_error(error)
        message = await self.receive()
        assert message is None, message
        assert self.closed == Closed(code), self.closed
        assert await self.read_to_end() == b""

    def _take(self, data: bytes) -> None:
        self.inbox += [event for event in self.session.receive(data) if not isinstance(event, Established)]

    def _follow(self, message: Message) -> None:
        match message.name:
            case "welcome" | "left":
                self.phase = Phase.LOBBY
            case "waiting":
                self.phase = Phase.WAITING
            case "match":
                _, self.match_id, self.seat, self.entries = message.values
                self.phase = Phase.WATCHING if self.seat is None else Phase.SEATED

    # --- a match ---

    async def join(self, table: str | None = None) -> "WireClient":
        """Reserve a seat, and wait until the table says so (or that the match begins)."""
        await self.send("join", table)
        message = await self.receive()
        assert message is not None and message.name in ("waiting", "match"), message
        return self


class Player:
    """Plays a seat to the end, or to a given number of entries: what `player.seat` says, over a `WireClient`."""

    def __init__(self, client: WireClient, bot: str = "greedy") -> None:
        self.client, self.bot = client, BOTS[bot]
        self.reader: Reader | None = None
        self.seat: Seat | None = None
        self.records: list[tuple[bytes, bytes]] = []
        self.posted_at = -1
        self.reading: WireClient | None = None  # the connection that sends us the log
        self.refused: list[str] = []

    @property
    def file(self) -> bytes:
        return MAGIC + b"".join(encode_record(*record) for record in self.records)

    async def begin(self) -> None:
        """Wait for `match` if it has not come; ask for the log from where we are."""
        client = self.client
        if client is self.reading:
            return
        while client.phase not in (Phase.SEATED, Phase.WATCHING):
            message = await client.receive()
            assert message is not None and message.name in ("waiting", "match"), message
        if self.seat is None and client.seat is not None:
            self.seat = Seat(client.identity, client.seat, client.rng)
        self.posted_at, self.reading = -1, client
        await client.send("replay", client.match_id, len(self.records))
        if self.records and client.entries == len(self.records):  # nothing will come to answer to
            await self.answer()

    async def run(self, until: int | None = None) -> "Player":
        """Play until the table says `left`, or until so many entries are read."""
        await self.begin()
        while until is None or len(self.records) < until:
            message = await self.client.receive()
            assert message is not None, f"closed: {self.client.closed}"
            if message.name == "left":
                return self
            await self.take(message)
        return self

    async def take(self, message: Message) -> None:
        if message.name == "refused":
            self.refused.append(message.values[2])
        if message.name != "entry":
            return
        _, number, raw, head = message.values
        assert number == len(self.records)
        self.records.append((raw, head))
        if self.reader is None:
            self.reader = Reader(raw, head)
        else:
            self.reader.feed(raw, head)
            assert not self.reader.faults or self.reader.over
        await self.answer()

    async def answer(self) -> None:
        """Post what this seat has to post now."""
        if self.seat is not None and not self.reader.over and (raw := self.post()) is not None:
            await self.client.send("post", self.client.match_id, raw)

    def post(self) -> bytes | None:
        """The entry that this seat has to post now; None if there is none or it is on its way."""
        assert self.reader is not None and self.seat is not None
        match, seat = self.reader.match, self.seat
        sequence = self.reader.log.sequence(seat.number)
        if sequence == self.posted_at:
            return None
        post = seat.respond(match)
        if post is None and (choices := seat.choices(match)):
            action = self.bot(match.setup.game, match.game, seat.number, seat.hand, choices, self.client.rng)
            post = seat.move(match, action)
        if post is None:
            return None
        self.posted_at = sequence
        return seat.entry(self.reader.log, post)


async def play_match(link: JoinLink, seats: int = 2, seed: int = 100, table: str | None = None) -> list[Player]:
    """A whole honest match by fresh people; their logs are the same and complete."""
    names = ("Ann", "Bob", "Cleo", "Dan")
    clients = [WireClient(link, seed + number, names[number]) for number in range(seats)]
    try:
        for client in clients:
            await (await client.connect()).greet()
            await client.join(table)
        players = [Player(client) for client in clients]
        async with asyncio.timeout(30):
            await asyncio.gather(*(player.run() for player in players))
    finally:
        for client in clients:
            await client.close()
    assert all(player.file == players[0].file and player.reader.over for player in players)
    return players
