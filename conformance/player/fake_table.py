"""A table for one player: honest, but for what a case exchanges. It plays the other seats itself.

A case exchanges some of the attributes that `FakeTable.__init__` names for that. Whatever the table
does, everything that the player does is checked: see `FakeTable.noticed`.
"""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from conformance.case import CaseFailed
from conformance.player.connection import HandshakeReply, TableConnection
from conformance.player.kit_match import KitMatch
from conformance.seat import HonestSeat
from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.match.clock import Allowance
from protocol.match.log import Entry, Record, decode_entry
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import Terms, encode_terms, make_terms
from protocol.messages.table import VERSION, ConnectionPhase
from protocol.options import Selection

NAME, TABLE_ID = "Kit table", "main"
SEAT_NAMES = ("Quentin", "Rosalind", "Sebastian")
# an honest entry may cross one that overtakes it
HONEST_REFUSALS = {Code.STALE, Code.NOT_NOW, Code.MATCH_OVER}

NumberedRecord = tuple[int, Record]
Handler = Callable[..., Awaitable[None]]


def short_terms(
    dealing: str = "layered", seats: int = 2, game: str = "block-dominoes", **deal: Any
) -> Terms:
    """A match of one hand, two tiles each."""
    options = tuple(sorted(deal.items()))
    game_options = (("hand", 2), ("target", 1))
    return make_terms(
        Selection(game, game_options), Selection(dealing, options), Allowance().options(), seats
    )


class FakeTable:
    """The table under a link, for as many connections as its player makes."""

    def __init__(self, rng: Random, terms: Terms) -> None:
        self.rng, self.terms = rng, terms
        self.identity = Identity(rng.randbytes(32))
        self._room: KitMatch | None = None
        self.name, self.player = "", b""  # the player's
        self.noticed: list[str] = []  # what the player did that no player may
        self.posted: list[Entry] = []  # by the player, over all connections
        self.refused: set[bytes] = set()  # SHA-256 of entries that it was told are not in the log
        # what a case may exchange
        self.seat = 0  # the player's
        self.addresses: list[str] = []  # where `welcome` says that it is, too
        self.second: HandshakeReply | None = None  # makes the bytes of its side of the handshake
        self.bytewise = False  # send a byte at a time
        self.on: dict[str, Handler] = {}  # (connection, *values), for a message of the player
        self.setup_for: Callable[[Setup], Setup] = lambda setup: setup
        self.opener: Identity | None = None  # who signs the match, if it is not this table
        self.announced: Callable[[list[Any]], list[Any]] = lambda values: values  # of `match`
        self.shown: Callable[[int, Record], Sequence[NumberedRecord]] = lambda number, record: [
            (number, record)
        ]
        # what the table and its seats post
        self.tamper: Callable[[int, Any], Any] = lambda author, post: post
        # asked whenever the others have posted
        self.before: Callable[[KitMatch], None] = lambda room: None
        self.cut_at: list[int] = []  # cut the line once so many entries have been shown

    # --- what the player asks ---

    async def handle(self, connection: TableConnection, name: str, values: list[Any]) -> None:
        """Answer a message."""
        handler = self.on.get(name) or getattr(self, f"on_{name}")
        await handler(connection, *values)

    async def on_hello(self, connection: TableConnection, version: int, name: str) -> None:
        """Welcome it."""
        if version != VERSION:
            self.noticed.append(f"it says hello with version {version}")
        self.name, self.player = name, connection.peer
        await connection.say("welcome", VERSION, NAME, self.addresses)
        connection.go(ConnectionPhase.LOBBY)

    async def on_list(self, connection: TableConnection) -> None:
        """One table."""
        await connection.say("tables", [self.listing()])

    def listing(self) -> list[Any]:
        """Its row."""
        return [TABLE_ID, encode_terms(self.terms), [], int(self.begun)]

    async def on_create(self, connection: TableConnection, *terms: Any) -> None:
        """Not here: the kit says what is played."""
        await connection.say("error", str(Code.TOO_MANY))

    async def on_join(self, connection: TableConnection, table_id: str | None) -> None:
        """A seat; the others are there already, so the match begins."""
        if not self.begun:
            await connection.say("waiting", TABLE_ID, self.terms.seats, [[self.name, self.player]])
            connection.go(ConnectionPhase.WAITING)
            self.begin()
        await self.announce(connection)

    async def on_resume(
        self, connection: TableConnection, match_id: bytes, holds: list[Any] | None
    ) -> None:
        """Back to its seat."""
        if self._room is None or match_id != self._room.log.match_id:
            await connection.say("error", str(Code.WRONG_MATCH))
        else:
            await self.announce(connection)

    async def announce(self, connection: TableConnection) -> None:
        """Say `match`."""
        room = self.room
        values = self.announced([TABLE_ID, room.log.match_id, self.seat, len(room.records)])
        await connection.say("match", *values)
        connection.go(ConnectionPhase.SEATED)

    async def on_spectate(self, connection: TableConnection, table_id: str | None) -> None:
        """There is nothing to see."""
        await connection.say("error", str(Code.WRONG_MATCH))

    async def on_leave(self, connection: TableConnection) -> None:
        """Back to the lobby."""
        await connection.say("left")
        connection.go(ConnectionPhase.LOBBY)

    async def on_replay(self, connection: TableConnection, match_id: bytes, number: int) -> None:
        """The log from a number on."""
        if number > len(self.room.records):
            self.noticed.append("it asks for entries that there are not")
        connection.fed = number
        await self.go_on(connection)

    async def on_post(self, connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        """An entry: into the log, if it may stand there."""
        self.look_at(raw)
        try:
            self.room.offer(raw, self.seat)
        except Refused as refusal:
            await self.refuse(connection, raw, refusal.code)
        await self.go_on(connection)

    async def on_relay(
        self, connection: TableConnection, match_id: bytes, seat: int, envelope: bytes
    ) -> None:
        """Talk: nobody listens."""

    async def on_pong(self, connection: TableConnection, match_id: bytes, token: bytes) -> None:
        """Nobody has asked."""
        self.noticed.append("it answers a question that was not asked")

    # --- the match ---

    @property
    def begun(self) -> bool:
        """Whether there is a match."""
        return self._room is not None

    @property
    def room(self) -> KitMatch:
        """The match, which must have begun."""
        if self._room is None:
            raise CaseFailed("the player speaks of a match that has not begun")
        return self._room

    def begin(self) -> None:
        """Open the match."""
        seats = [seat for seat in range(self.terms.seats) if seat != self.seat]
        people: dict[int, Person] = {self.seat: Person(self.name, self.player)}
        others = []
        for seat, name in zip(seats, SEAT_NAMES, strict=False):
            identity = Identity(self.rng.randbytes(32))
            others.append(HonestSeat(identity, seat, self.rng))
            people[seat] = Person(name, identity.public)
        opener = self.opener or self.identity
        table = TableIdentity(opener.public, NAME, TABLE_ID)
        seated = tuple(people[seat] for seat in range(self.terms.seats))
        setup = Setup(table, self.rng.randbytes(32), 1_800_000_000, self.terms, seated)
        self._room = room = KitMatch(opener, self.setup_for(setup), self.rng, others)
        room.tamper = lambda author, post: self.tamper(author, post)

    async def go_on(self, connection: TableConnection) -> None:
        """Let the others post, show the player what is new, and end the match when it is over."""
        room = self.room
        while room.step():
            """Somebody posted, so somebody else may have to."""
        self.before(room)
        for number in range(connection.fed, len(room.records)):
            connection.fed = number + 1
            for shown, record in self.shown(number, room.records[number]):
                await connection.say("entry", room.log.match_id, shown, *record)
            if connection.fed in self.cut_at:
                self.cut_at.remove(connection.fed)
                connection.abort()
                return
        if room.match.over:
            await self.finish(connection)

    async def finish(self, connection: TableConnection, whatever: bool = False) -> None:
        """Say that the match is over; not after a fault: what the player makes of that is seen
        first.
        """
        if self.room.match.winner is None and not whatever:
            return
        await connection.say("left")
        connection.go(ConnectionPhase.LOBBY)

    async def refuse(self, connection: TableConnection, raw: bytes, code: Code) -> None:
        """Say that an entry is not in the log; notice it if no honest player would have posted
        it.
        """
        again = code is Code.WRONG_SEQUENCE and any(
            record.entry == raw for record in self.room.records
        )
        if code not in HONEST_REFUSALS and not again:
            self.noticed.append(f"it posts an entry that must be refused: {code}")
        self.refused.add(sha256(raw).digest())
        if connection.phase is ConnectionPhase.SEATED:
            await connection.say("refused", self.room.log.match_id, *self.room.refusal(raw, code))

    def look_at(self, raw: bytes) -> None:
        """What must be true of everything that a player posts, whatever the table does."""
        try:
            entry = decode_entry(raw)
            verify(self.player, entry.signature, "entry", self.room.log.match_id, entry.content)
        except RemoteError as error:
            self.noticed.append(f"it posts what is no entry of its own: {error.code}")
            return
        if entry.author != self.seat:
            self.noticed.append(f"it posts as seat {entry.author}")
        same = {other.raw for other in self.posted if other.sequence == entry.sequence} - {raw}
        if any(sha256(other).digest() not in self.refused for other in same):
            self.noticed.append(f"it signs two entries of sequence {entry.sequence}")
        self.posted.append(entry)

    def posts(self, kind: str = "") -> list[Entry]:
        """What the player has posted, of this kind or of all."""
        return [entry for entry in self.posted if kind in ("", entry.kind)]

    def has_signed(self, sequence: int) -> bool:
        """Whether the player has posted an entry of this sequence."""
        return any(entry.sequence == sequence for entry in self.posted)

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._room is not None and self._room.match.over
