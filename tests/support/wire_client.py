"""A player's seat over a bare connection, for tests: entries from `Seat`, sent by the conformance
kit's client.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from bots.registry import BOTS
from conformance.table.connection import PlayerConnection
from player.client.seat import Seat
from protocol.identity.keys import JoinLink
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import LogReader
from protocol.messages.table import ConnectionPhase, Message

PATIENCE = 60  # seconds for an answer on a machine that runs other tests


class WireClient(PlayerConnection):
    """The kit's client with long timeouts."""

    def __init__(self, *values: Any, patience: float = PATIENCE, **named: Any) -> None:
        super().__init__(*values, patience=patience, **named)


class Player:
    """Player of a seat, to the end or to a number of entries. `player.client.seat` makes the entries,
    a `WireClient` sends them.
    """

    def __init__(self, client: WireClient, bot: str = "greedy") -> None:
        self.client, self.bot = client, BOTS[bot]
        self.reader: LogReader | None = None
        self.seat: Seat | None = None
        self.records: list[tuple[bytes, bytes]] = []
        self.posted_at = -1
        self.reading: WireClient | None = None  # connection that receives the log
        self.refused: list[str] = []

    @property
    def file(self) -> bytes:
        return MAGIC + b"".join(encode_record(*record) for record in self.records)

    @property
    def holds(self) -> list[object] | None:
        """Return the newest known head, as in `resume`."""
        return None if self.reader is None else [*self.reader.log.newest_head, self.records[-1][1]]

    async def begin(self) -> None:
        """Wait for `match` if it has not come. Request the log from the first missing entry."""
        client = self.client
        if client is self.reading:
            return
        while client.phase not in (ConnectionPhase.SEATED, ConnectionPhase.WATCHING):
            message = await client.receive()
            assert message is not None and message.name in ("waiting", "match"), message
        if self.seat is None and client.seat is not None:
            self.seat = Seat(client.identity, client.seat, client.rng)
        self.posted_at, self.reading = -1, client
        await client.send("replay", client.match_id, len(self.records))
        if self.records and client.entries <= len(self.records):  # no answer is due
            await self.answer()

    async def run(self, until: int | None = None) -> "Player":
        """Play until the table sends `left`, or until `until` entries are read."""
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
            self.refused.append(message.values[4])
        if message.name != "entry":
            return
        _, number, raw, head = message.values
        assert number == len(self.records)
        self.records.append((raw, head))
        if self.reader is None:
            self.reader = LogReader(raw, head)
        else:
            self.reader.feed(raw, head)
            assert not self.reader.faults or self.reader.over
        await self.answer()

    async def answer(self) -> None:
        """Post the duty of this seat."""
        if self.seat is not None and not self.reader.over and (raw := self.post()) is not None:
            await self.client.send("post", self.client.match_id, raw)

    def post(self) -> bytes | None:
        """Return the entry that this seat has to post. Return None if there is none, or it is in
        transit.
        """
        assert self.reader is not None and self.seat is not None
        match, seat = self.reader.match, self.seat
        sequence = self.reader.log.sequence(seat.number)
        if sequence == self.posted_at:
            return None
        post = seat.respond(match)
        if post is None and seat.choices(match):
            post = seat.move(match, self.bot(seat.view(match), self.client.rng))
        if post is None:
            return None
        self.posted_at = sequence
        return seat.entry(self.reader.log, post)


async def play_match(
    link: JoinLink, seats: int = 2, seed: int = 100, table: str | None = None, seconds: float = 240
) -> list[Player]:
    """Play a whole honest match with new identities. All logs must be equal and complete."""
    names = ("Ann", "Bob", "Cleo", "Dan")
    async with AsyncExitStack() as stack:
        clients = []
        for number in range(seats):
            client = await WireClient(link, seed + number, names[number]).connect()
            clients.append(await stack.enter_async_context(client))
            await client.greet()
            await client.join(table)
        players = [Player(client) for client in clients]
        async with asyncio.timeout(seconds):
            await asyncio.gather(*(player.run() for player in players))
    assert all(player.file == players[0].file and player.reader.over for player in players)
    return players
