"""A table for one player: honest, but for what a case exchanges. It plays the other seats itself.

A case exchanges some of the attributes that `Table.__init__` names for that. Whatever the table does, everything that
the player does is checked: see `Table.noticed`.
"""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from conformance.case import Failed
from conformance.player.guest import Guest, Second
from conformance.player.keeper import Keeper, Record
from conformance.seat import HonestSeat
from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.match.clock import Allowance
from protocol.match.log import Entry, decode_entry
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import Terms, encode_terms, make_terms
from protocol.messages.table import VERSION, Phase
from protocol.options import Chosen

NAME, TABLE_ID = "Kit table", "main"
OTHERS = ("Quentin", "Rosalind", "Sebastian")
HONEST = {Code.STALE, Code.NOT_NOW, Code.MATCH_OVER}  # an honest entry may cross one that overtakes it

Numbered = tuple[int, Record]
Handler = Callable[..., Awaitable[None]]


def short(dealing: str = "layered", seats: int = 2, game: str = "block-dominoes", **deal: Any) -> Terms:
    """A match of one hand, two tiles each."""
    options = tuple(sorted(deal.items()))
    return make_terms(
        Chosen(game, (("hand", 2), ("target", 1))), Chosen(dealing, options), Allowance().options(), seats
    )


class Table:
    """The table under a link, for as many connections as its player makes."""

    def __init__(self, rng: Random, terms: Terms) -> None:
        self.rng, self.terms = rng, terms
        self.identity = Identity(rng.randbytes(32))
        self.keeper: Keeper | None = None
        self.name, self.player = "", b""  # the player's
        self.noticed: list[str] = []  # what the player did that no player may
        self.posted: list[Entry] = []  # by the player, over all connections
        self.refused: set[bytes] = set()  # SHA-256 of entries that it was told are not in the log
        # what a case may exchange
        self.seat = 0  # the player's
        self.second: Second | None = None  # makes the bytes of its side of the handshake
        self.bytewise = False  # send a byte at a time
        self.on: dict[str, Handler] = {}  # (guest, *values), for a message of the player
        self.setup_for: Callable[[Setup], Setup] = lambda setup: setup
        self.opener: Identity | None = None  # who signs the match, if it is not this table
        self.announced: Callable[[list[Any]], list[Any]] = lambda values: values  # of `match`
        self.shown: Callable[[int, Record], Sequence[Numbered]] = lambda number, record: [(number, record)]
        self.tamper: Callable[[int, Any], Any] = lambda author, post: post  # what the table and its seats post
        self.before: Callable[[Keeper], None] = lambda keeper: None  # asked whenever the others have posted
        self.cut_at: list[int] = []  # cut the line once so many entries have been shown

    # --- what the player asks ---

    async def handle(self, guest: Guest, name: str, values: list[Any]) -> None:
        """Answer a message."""
        handler = self.on.get(name) or getattr(self, f"on_{name}")
        await handler(guest, *values)

    async def on_hello(self, guest: Guest, version: int, name: str) -> None:
        """Welcome it."""
        if version != VERSION:
            self.noticed.append(f"it says hello with version {version}")
        self.name, self.player = name, guest.peer
        await guest.say("welcome", VERSION, NAME)
        guest.go(Phase.LOBBY)

    async def on_list(self, guest: Guest) -> None:
        """One table."""
        await guest.say("tables", [self.listing()])

    def listing(self) -> list[Any]:
        """Its row."""
        return [TABLE_ID, encode_terms(self.terms), [], int(self.keeper is not None)]

    async def on_create(self, guest: Guest, *terms: Any) -> None:
        """Not here: the kit says what is played."""
        await guest.say("error", str(Code.TOO_MANY))

    async def on_join(self, guest: Guest, table_id: str | None) -> None:
        """A seat; the others are there already, so the match begins."""
        if self.keeper is None:
            await guest.say("waiting", TABLE_ID, self.terms.seats, [[self.name, self.player]])
            guest.go(Phase.WAITING)
            self.begin()
        await self.announce(guest)

    async def on_resume(self, guest: Guest, match_id: bytes) -> None:
        """Back to its seat."""
        if self.keeper is None or match_id != self.keeper.log.match_id:
            await guest.say("error", str(Code.WRONG_MATCH))
        else:
            await self.announce(guest)

    async def announce(self, guest: Guest) -> None:
        """Say `match`."""
        keeper = self.kept
        values = self.announced([TABLE_ID, keeper.log.match_id, self.seat, len(keeper.records)])
        await guest.say("match", *values)
        guest.go(Phase.SEATED)

    async def on_spectate(self, guest: Guest, table_id: str | None) -> None:
        """There is nothing to see."""
        await guest.say("error", str(Code.WRONG_MATCH))

    async def on_leave(self, guest: Guest) -> None:
        """Back to the lobby."""
        await guest.say("left")
        guest.go(Phase.LOBBY)

    async def on_replay(self, guest: Guest, match_id: bytes, number: int) -> None:
        """The log from a number on."""
        if number > len(self.kept.records):
            self.noticed.append("it asks for entries that there are not")
        guest.fed = number
        await self.go_on(guest)

    async def on_post(self, guest: Guest, match_id: bytes, raw: bytes) -> None:
        """An entry: into the log, if it may stand there."""
        self.look_at(raw)
        try:
            self.kept.offer(raw, self.seat)
        except Refused as refusal:
            await self.refuse(guest, raw, refusal.code)
        await self.go_on(guest)

    async def on_relay(self, guest: Guest, match_id: bytes, seat: int, envelope: bytes) -> None:
        """Talk: nobody listens."""

    # --- the match ---

    @property
    def kept(self) -> Keeper:
        """The match, which must have begun."""
        if self.keeper is None:
            raise Failed("the player speaks of a match that has not begun")
        return self.keeper

    def begin(self) -> None:
        """Open the match."""
        seats = [seat for seat in range(self.terms.seats) if seat != self.seat]
        people: dict[int, Person] = {self.seat: Person(self.name, self.player)}
        others = []
        for seat, name in zip(seats, OTHERS, strict=False):
            identity = Identity(self.rng.randbytes(32))
            others.append(HonestSeat(identity, seat, self.rng))
            people[seat] = Person(name, identity.public)
        opener = self.opener or self.identity
        table = TableIdentity(opener.public, NAME, TABLE_ID)
        seated = tuple(people[seat] for seat in range(self.terms.seats))
        setup = Setup(table, self.rng.randbytes(32), 1_800_000_000, self.terms, seated)
        self.keeper = Keeper(opener, self.setup_for(setup), self.rng, others)
        self.keeper.tamper = lambda author, post: self.tamper(author, post)

    async def go_on(self, guest: Guest) -> None:
        """Let the others post, show the player what is new, and end the match when it is over."""
        keeper = self.kept
        while keeper.step():
            """Somebody posted, so somebody else may have to."""
        self.before(keeper)
        for number in range(guest.fed, len(keeper.records)):
            guest.fed = number + 1
            for shown, record in self.shown(number, keeper.records[number]):
                await guest.say("entry", keeper.log.match_id, shown, *record)
            if guest.fed in self.cut_at:
                self.cut_at.remove(guest.fed)
                guest.abort()
                return
        if keeper.match.over:
            await self.finish(guest)

    async def finish(self, guest: Guest, whatever: bool = False) -> None:
        """Say that the match is over; not after a fault: what the player makes of that is seen first."""
        if self.kept.match.winner is None and not whatever:
            return
        await guest.say("left")
        guest.go(Phase.LOBBY)

    async def refuse(self, guest: Guest, raw: bytes, code: Code) -> None:
        """Say that an entry is not in the log; notice it if no honest player would have posted it."""
        again = code is Code.WRONG_SEQUENCE and any(record.entry == raw for record in self.kept.records)
        if code not in HONEST and not again:
            self.noticed.append(f"it posts an entry that must be refused: {code}")
        self.refused.add(sha256(raw).digest())
        if guest.phase is Phase.SEATED:
            await guest.say("refused", self.kept.log.match_id, sha256(raw).digest(), str(code))

    def look_at(self, raw: bytes) -> None:
        """What must be true of everything that a player posts, whatever the table does."""
        try:
            entry = decode_entry(raw)
            verify(self.player, entry.signature, "entry", self.kept.log.match_id, entry.content)
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
        return self.keeper is not None and self.keeper.match.over
