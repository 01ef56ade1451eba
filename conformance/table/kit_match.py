"""A match at the table under test, step by step: all seats read an entry before anybody posts the
next.

So a case knows the state of the match, can post something wrong at any step, and sees the result at
every seat.
"""

import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from conformance.case import CaseFailed
from conformance.scope import check_kind
from conformance.seat import NO_LOADOUT, HonestSeat
from conformance.table.connection import PlayerConnection, known_code, message_code
from protocol import wire
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import RemoteError
from protocol.games.decks.deck_hand import Loadout
from protocol.match.clock import EXTENSION, WARNING
from protocol.match.log import EntryContent, Log, decode_entry, make_entry
from protocol.match.log_reader import LogReader
from protocol.match.refusal import Refusal, check_refusal
from protocol.match.state import Match
from protocol.messages.table import Message

MOST_ENTRIES = 3000  # more than any match of the kit has

RecordPairs = list[tuple[bytes, bytes]]


class LogFollower:
    """A reader of the log, such as a spectator: it checks every head and signature, and folds the
    entries.
    """

    def __init__(self, peer: PlayerConnection) -> None:
        self.peer = peer
        self.records: RecordPairs = []
        self.reader: LogReader | None = None

    async def ask(self, number: int = 0) -> None:
        """Ask for the log from entry `number` on."""
        await self.peer.send("replay", self.peer.match_id, number)

    async def read(self, entries: int) -> None:
        """Read until the log has `entries` entries."""
        while len(self.records) < entries:
            message = await self.peer.receive()
            if message is None or message.name != "entry":
                raise CaseFailed(
                    f"{self.peer.described(message)} instead of entry {len(self.records)}"
                )
            self.take(message)

    def take(self, message: Message) -> None:
        """Add the next entry to the log."""
        match_id, number, raw, head = message.values
        if match_id != self.peer.match_id or number != len(self.records):
            raise CaseFailed(f"entry {number} came instead of entry {len(self.records)}")
        try:
            if self.reader is None:
                self.reader = LogReader(raw, head)
            else:
                self.reader.feed(raw, head)
        except RemoteError:
            raise CaseFailed(f"the head of entry {number} does not hold") from None
        self.records.append((raw, head))
        if self.reader.log.match_id != match_id:
            raise CaseFailed("entry 0 does not have the match id for its hash")
        if any(fault.seat == TABLE for fault in self.reader.faults):
            raise CaseFailed(
                f"entry {number} must not stand in a log, or is not as the table must make it"
            )

    @property
    def match(self) -> Match:
        assert self.reader is not None
        return self.reader.match

    @property
    def log(self) -> Log:
        assert self.reader is not None
        return self.reader.log

    def log_body(self, number: int) -> list[Any]:
        """Return the body of entry `number`."""
        return decode_entry(self.records[number][0]).body

    def latest(self, kind: str) -> list[Any]:
        """Return the body of the newest entry of a kind."""
        return next(
            entry.body
            for raw, _ in reversed(self.records)
            if (entry := decode_entry(raw)).kind == kind
        )


class SeatedPlayer(LogFollower):
    """A seat that the kit plays."""

    def __init__(self, peer: PlayerConnection, brings: Loadout = NO_LOADOUT) -> None:
        super().__init__(peer)
        assert peer.seat is not None
        self.number = peer.seat
        self.seat = HonestSeat(peer.identity, self.number, peer.rng, brings)
        self._due: tuple[int, Post | None] = (-1, None)

    def due(self) -> Post | None:
        """Return the post of an honest seat now; a second call returns the same post."""
        if self._due[0] != len(self.records):
            over = self.reader is not None and self.reader.over
            self._due = (len(self.records), None if over else self.seat.due(self.match))
        return self._due[1]

    def entry(self, **changes: Any) -> bytes:
        """Return the due entry with changed fields: those of `make_entry` and `EntryContent`."""
        post = self.due() or Post("leave", [])
        fields: dict[str, Any] = {
            "author": self.number,
            "sequence": self.log.sequence(self.number),
            "seen": self.log.newest_head,
            "kind": post.kind,
            "body": post.body,
        } | changes
        identity = fields.pop("identity", self.peer.identity)
        match_id = fields.pop("match_id", self.log.match_id)
        return make_entry(identity, match_id, EntryContent(**fields))

    async def post(self, raw: bytes) -> None:
        """Send an entry."""
        await self.peer.send("post", self.peer.match_id, raw)

    async def refused(self, raw: bytes, code: Code) -> None:
        """Send an entry, and expect a refusal with this code, signed at the newest head.

        Entries of the table about time may come before the refusal.
        """
        match_id = self.peer.match_id
        await self.peer.send("post", match_id, raw)
        while (message := await self.peer.receive()) is not None and message.name == "entry":
            self.take(message)
            if decode_entry(self.records[-1][0]).kind not in (WARNING, EXTENSION):
                raise CaseFailed(f"an entry of somebody else's instead of refused {code}")
        if message is None or message.name != "refused":
            raise CaseFailed(f"{self.peer.described(message)} instead of refused {code}")
        if message.values[:2] != [match_id, sha256(raw).digest()]:
            raise CaseFailed("refused names another match or entry")
        refusal = Refusal(*message.values[1:])
        if refusal.code != str(code):
            raise CaseFailed(f"refused {known_code(refusal.code)} instead of {code}")
        if refusal[1:3] != self.log.newest_head:
            raise CaseFailed("refused names another head than the one that the entry was judged at")
        try:
            check_refusal(refusal, match_id, self.log.setup.table.key)
        except RemoteError:
            raise CaseFailed("refused is not signed by the table") from None


class KitMatch:
    """All seats of one match."""

    def __init__(self, players: list[SeatedPlayer], began: float) -> None:
        self.players = players
        self.posted_at = began  # time just before the newest post
        self.watching: list[LogFollower] = []

    @property
    def match(self) -> Match:
        return self.players[0].match

    @property
    def over(self) -> bool:
        reader = self.players[0].reader
        return reader is not None and reader.over

    async def begin(self) -> "KitMatch":
        """Let every seat ask for the log and read the first entry."""
        for player in self.players:
            await player.ask()
        await self.read(1)
        return self

    async def read(self, entries: int) -> None:
        """Let every seat read until it has `entries` entries, or as many as any seat already
        has.
        """
        readers = (*self.players, *self.watching)
        most = max(entries, *(len(reader.records) for reader in readers))
        for reader in readers:
            await reader.read(most)
        if any(player.records != self.players[0].records for player in self.players):
            raise CaseFailed("two seats were sent different logs")

    async def step(self) -> bool:
        """Post one more honest entry; return False when the match is over."""
        await self.read(0)  # One seat may have read an entry of the table before a refusal.
        if self.over:
            return False
        count = len(self.players[0].records)
        if any(duty.author == TABLE for duty in self.match.duties()):
            await self.read(count + 1)
            return True
        player = next((player for player in self._by_turns() if player.due() is not None), None)
        if player is None or count > MOST_ENTRIES:
            raise CaseFailed("the match does not go on")
        await self.play(player)
        return True

    def _by_turns(self) -> list[SeatedPlayer]:
        """Return all seats; in simultaneous play, the seat that acted longest ago comes first."""
        free = self.match.active_simultaneous
        if free is None:
            return self.players
        return sorted(self.players, key=lambda player: free.newest_actions[player.number])

    async def play(self, player: SeatedPlayer) -> None:
        """Post a seat's due entry; expect that the table accepts it unchanged and that all seats
        read it.
        """
        await self.stands(player, player.entry())

    async def stands(self, player: SeatedPlayer, raw: bytes) -> int:
        """Post an entry; expect that the table accepts it unchanged and that all seats read it.
        Return its number.

        Entries of the table about time may come first.
        """
        self.posted_at = time.monotonic()
        await player.post(raw)
        while True:
            count = len(player.records)
            await self.read(count + 1)
            if player.records[count][0] == raw:
                return count
            if decode_entry(player.records[count][0]).kind not in (WARNING, EXTENSION):
                raise CaseFailed("another entry stands where one was posted")

    async def reach(
        self,
        kind: str,
        author: int | None = None,
        wanted: Callable[[SeatedPlayer], bool] | None = None,
    ) -> SeatedPlayer:
        """Play on until a seat has an entry of this kind to post; return the seat. The entry is not
        sent.
        """
        check_kind(kind, self.match.setup.terms.dealing.name)
        while True:
            for player in self.players:
                post = player.due()
                right = post is not None and post.kind == kind and author in (None, player.number)
                if right and (wanted is None or wanted(player)):
                    return player
            if not await self.step():
                raise CaseFailed(f"the match ended before anybody had to post {kind}")

    async def finish(self) -> None:
        """Play honestly to the end; the match must be clean."""
        while await self.step():
            pass
        if self.players[0].reader is None or self.players[0].reader.faults:
            raise CaseFailed("somebody is named although all were honest")
        await self.dismissed()

    async def go_on(self) -> None:
        """Check that a refused entry changed nothing: the table accepts one honest entry. Then a
        seat ends the match.
        """
        await self.step()
        await self.end()

    async def go_on_without(self) -> None:
        """Let the remaining seats play to the end, whoever was named; expect that all learn of the
        end.
        """
        while await self.step():
            pass
        await self.dismissed()

    async def end(self) -> None:
        """Let the first seat leave."""
        if not self.over:
            await self.convict(self.players[0], Post("leave", []), Code.LEFT)

    async def convict(self, player: SeatedPlayer, post: Post, code: Code) -> None:
        """Post a proof of a fault. Expect that every log has the entry and names its author, and
        that this seat is out.

        The others play on if their dealing allows it; otherwise the match is over.
        """
        count = await self.stands(player, player.entry(kind=post.kind, body=post.body))
        self.names(player.number, count, code)
        if player.number not in player.match.gone:
            await self.is_over()
            return
        while await self.step():
            pass
        self.names(player.number, count, code)
        await self.dismissed()

    def names(self, seat: int, entry: int, code: Code) -> None:
        """Check that the log so far names exactly this seat, for this entry and code."""
        reader = self.players[0].reader
        assert reader is not None
        if [(fault.seat, fault.entry, fault.code) for fault in reader.faults] != [
            (seat, entry, code)
        ]:
            raise CaseFailed(f"the log does not show {code}")

    async def is_over(self) -> None:
        """Check that the table treats the match as over: it refuses a further entry."""
        player = self.players[-1]
        await player.post(player.entry(kind="leave", body=[]))
        while True:
            message = await player.peer.receive()
            if message is not None and message.name == "left":
                continue
            if message is None or message.name not in ("refused", "error"):
                said = None
            else:
                said = message_code(message)
            if said != str(Code.MATCH_OVER):
                raise CaseFailed(
                    f"{player.peer.described(message)} instead of match_over: the table goes "
                    "on with the match"
                )
            break
        await self.dismissed(but=player)

    async def dismissed(self, but: SeatedPlayer | None = None) -> None:
        """Expect that all seats except `but` learn that they are back in the lobby."""
        for player in self.players:
            if player is not but:
                await player.peer.expect("left")


def deep_copy(body: list[Any]) -> list[Any]:
    """Return a copy of a body that the caller may change."""
    copy: list[Any] = wire.decode(wire.encode(body))
    return copy
