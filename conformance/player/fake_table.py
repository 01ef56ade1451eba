"""A table for one player. It is honest, except for the attributes that a case replaces, and plays
the other seats itself.

`FakeTable.__init__` names these attributes. The table checks everything that the player does,
whatever the table itself does: see `FakeTable.noticed`.
"""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from conformance.case import CaseFailed
from conformance.player.connection import HandshakeReply, TableConnection
from conformance.player.kit_match import KitMatch
from conformance.scope import Scope
from conformance.seat import HonestSeat
from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.limits import TICKET, TICKET_SECRET
from protocol.match.clock import Allowance
from protocol.match.log import Entry, Record, decode_entry
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import Terms, encode_terms, make_terms
from protocol.messages.table import SIGN_OF_LIFE, VERSION, ConnectionPhase
from protocol.options import Selection
from protocol.session.ticket import Ticket

NAME = "Kit table"
TABLE_ID = "main"
SEAT_NAMES = ("Quentin", "Rosalind", "Sebastian")
# an honest entry may cross a message that makes it invalid
HONEST_REFUSALS = {Code.STALE, Code.NOT_NOW, Code.MATCH_OVER}

NumberedRecord = tuple[int, Record]
Handler = Callable[..., Awaitable[None]]


def short_terms(
    dealing: str = "layered", seats: int = 2, game: str = "block-dominoes", **deal: Any
) -> Terms:
    """Return the terms of a match with one hand and two tiles for each seat."""
    options = tuple(sorted(deal.items()))
    game_options = (("hand", 2), ("target", 1))
    return make_terms(
        Selection(game, game_options), Selection(dealing, options), Allowance().options(), seats
    )


def usual_terms(scope: Scope) -> Terms:
    """Return the terms of a short match where any match will do."""
    if scope.admits("block-dominoes", "layered"):
        return short_terms()
    game, options, dealing = scope.usual()
    return make_terms(
        Selection(game, tuple(sorted(options.items()))),
        Selection(dealing),
        Allowance().options(),
        2,
    )


class FakeTable:
    """The table behind a link, for all connections of its player."""

    def __init__(self, rng: Random, terms: Terms) -> None:
        self.rng = rng
        self.terms = terms
        self.identity = Identity(rng.randbytes(32))
        self._room: KitMatch | None = None
        # the player's
        self.name = ""
        self.player = b""
        self.noticed: list[str] = []  # faults of the player against the specification
        self.posted: list[Entry] = []  # the player's entries, over all connections
        self.refused: set[bytes] = set()  # SHA-256 of entries that the table has refused
        # what a case may exchange
        self.seat = 0  # the player's
        self.addresses: list[str] = []  # other addresses of the table in `welcome`
        # returns the bytes of the table's handshake message
        self.second: HandshakeReply | None = None
        self.split = False  # whether to send parts of frames
        # handlers by name of the player's message; arguments: connection, *values
        self.on: dict[str, Handler] = {}
        self.setup_for: Callable[[Setup], Setup] = lambda setup: setup
        self.opener: Identity | None = None  # the identity that signs the match; None: the table's
        # changes the values of `match`
        self.announced: Callable[[list[Any]], list[Any]] = lambda values: values
        self.shown: Callable[[int, Record], Sequence[NumberedRecord]] = lambda number, record: [
            (number, record)
        ]
        # changes posts of the table and its seats
        self.tamper: Callable[[int, Any], Any] = lambda author, post: post
        # called whenever the others have posted
        self.before: Callable[[KitMatch], None] = lambda room: None
        self.claim: list[bytes] | None = None  # that it states in `match`
        # tickets given to the player, those it says it has stored, and whether there are any
        self.tickets: list[Ticket] = []
        self.kept: list[bytes] = []
        self.gives_tickets = False
        self.cut_at: list[int] = []  # cut the line after these numbers of entries

    # --- what the player asks ---

    async def handle(self, connection: TableConnection, name: str, values: list[Any]) -> None:
        """Answer a message."""
        handler = self.on.get(name) or getattr(self, f"on_{name}")
        await handler(connection, *values)

    async def on_hello(self, connection: TableConnection, version: int, name: str) -> None:
        """Answer with `welcome`."""
        if version != VERSION:
            self.noticed.append(f"it says hello with version {version}")
        self.name = name
        self.player = connection.peer
        await connection.say("welcome", VERSION, NAME, self.addresses)
        connection.go(ConnectionPhase.LOBBY)

    async def on_list(self, connection: TableConnection) -> None:
        """List one table."""
        await connection.say("tables", [self.listing()])

    async def on_find(
        self, connection: TableConnection, text: str | None, games: list[str], start: int, most: int
    ) -> None:
        """Find this one table, by its id or among all."""
        rows = [self.listing()] if text in (None, TABLE_ID) else []
        await connection.say("found", text, start, 0, len(rows), rows, None)

    def listing(self) -> list[Any]:
        """Return the table's row in the list."""
        return [TABLE_ID, encode_terms(self.terms), [], int(self.begun)]

    async def on_create(self, connection: TableConnection, *terms: Any) -> None:
        """Refuse: the kit chooses the terms."""
        await connection.say("error", str(Code.TOO_MANY))

    async def on_join(self, connection: TableConnection, table_id: str | None) -> None:
        """Give the player its seat. The other seats are taken, so the match begins."""
        if not self.begun:
            await connection.say("waiting", TABLE_ID, self.terms.seats, [[self.name, self.player]])
            connection.go(ConnectionPhase.WAITING)
            self.begin()
        await self.announce(connection)

    async def on_resume(
        self,
        connection: TableConnection,
        match_id: bytes,
        holds: list[Any] | None,
        met: list[Any] | None,
    ) -> None:
        """Return the player to its seat."""
        if self._room is None or match_id != self._room.log.match_id:
            await connection.say("error", str(Code.WRONG_MATCH))
        else:
            await self.announce(connection)

    async def announce(self, connection: TableConnection) -> None:
        """Send `match`."""
        room = self.room
        values = [TABLE_ID, room.log.match_id, self.seat, len(room.records), self.claim]
        await connection.say("match", *self.announced(values))
        connection.go(ConnectionPhase.SEATED)
        if self.gives_tickets:
            self.tickets.append(
                Ticket(self.rng.randbytes(TICKET), self.rng.randbytes(TICKET_SECRET))
            )
            await connection.say("ticket", room.log.match_id, *self.tickets[-1])

    async def on_kept(self, connection: TableConnection, match_id: bytes, ticket: bytes) -> None:
        """Note a ticket that the player has stored."""
        if ticket not in [each.shown for each in self.tickets]:
            self.noticed.append("it keeps a ticket that nobody gave it")
        self.kept.append(ticket)

    async def on_spectate(self, connection: TableConnection, table_id: str | None) -> None:
        """Refuse: no match can be watched."""
        await connection.say("error", str(Code.WRONG_MATCH))

    async def on_ask_rules(self, connection: TableConnection, table_id: str | None) -> None:
        """Send no rule file: nobody has given one."""
        await connection.say("rules", TABLE_ID, b"")

    async def on_give_rules(self, connection: TableConnection, text: bytes) -> None:
        """Forget the player's rule file: nobody asks for it."""

    async def on_leave(self, connection: TableConnection) -> None:
        """Return the player to the lobby."""
        await connection.say("left")
        connection.go(ConnectionPhase.LOBBY)

    async def on_replay(self, connection: TableConnection, match_id: bytes, number: int) -> None:
        """Send the log from entry `number` on."""
        if number > len(self.room.records):
            self.noticed.append("it asks for entries that there are not")
        connection.fed = number
        await self.go_on(connection)

    async def on_post(self, connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        """Add an entry to the log if it is valid."""
        self.look_at(raw)
        try:
            self.room.offer(raw, self.seat)
        except Refused as refusal:
            await self.refuse(connection, raw, refusal.code)
        await self.go_on(connection)

    async def on_relay(
        self, connection: TableConnection, match_id: bytes, seat: int, envelope: bytes
    ) -> None:
        """Ignore talk: no seat listens."""

    async def on_pong(self, connection: TableConnection, match_id: bytes, token: bytes) -> None:
        """Ignore a sign of life. The table measures nothing, so there is nothing to answer."""
        if token != SIGN_OF_LIFE:
            self.noticed.append("it answers a question that was not asked")

    # --- the match ---

    @property
    def begun(self) -> bool:
        """Check whether a match has begun."""
        return self._room is not None

    @property
    def room(self) -> KitMatch:
        """The match; it must have begun."""
        if self._room is None:
            raise CaseFailed("the player speaks of a match that has not begun")
        return self._room

    def begin(self) -> None:
        """Begin the match."""
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
        """Let the other seats post, send new entries to the player, and end the match when it is
        over.
        """
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
        """Tell the player that the match is over. After a fault the table waits, to see the
        player's reaction, unless `whatever`.
        """
        decided = self.room.match.winner is not None or self.room.match.ended_at is not None
        if not decided and not whatever:
            return
        await connection.say("left")
        connection.go(ConnectionPhase.LOBBY)

    async def refuse(self, connection: TableConnection, raw: bytes, code: Code) -> None:
        """Refuse an entry; record a fault of the player if no honest player posts this entry."""
        again = code is Code.WRONG_SEQUENCE and any(
            record.entry == raw for record in self.room.records
        )
        if code not in HONEST_REFUSALS and not again:
            self.noticed.append(f"it posts an entry that must be refused: {code}")
        self.refused.add(sha256(raw).digest())
        if connection.phase is ConnectionPhase.SEATED:
            await connection.say("refused", self.room.log.match_id, *self.room.refusal(raw, code))

    def look_at(self, raw: bytes) -> None:
        """Check the conditions that every entry of a player must meet, whatever the table does."""
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
        """Return the player's entries, of this kind if one is given."""
        return [entry for entry in self.posted if kind in ("", entry.kind)]

    def has_signed(self, sequence: int) -> bool:
        """Check whether the player has posted an entry of this sequence."""
        return any(entry.sequence == sequence for entry in self.posted)

    @property
    def over(self) -> bool:
        """Check whether the match has ended."""
        return self._room is not None and self._room.match.over
