"""Store that hosts of one table share, with its faults, and a `table.storage.interface.Storage` over it.

Requests or their answers are lost or late; data that a leader has shown may be lost with the
leader. The client knows only acknowledged data, and finds out the rest as R3 requires
(docs/protocol, 15.4).
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from random import Random

from protocol.match.log import NO_HASH, Record
from protocol.match.log_file import MAGIC, encode_record
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    MatchOwnership,
    MatchStopped,
    NewClaim,
    NewRecords,
    NewTable,
    OpenMatch,
    SavedTable,
    Stamps,
    TableRemoved,
    hash_after,
    stamps_by_number,
)
from tests.properties.simulate.checks import Violation
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Process

COMMIT = (0.0005, 0.02)  # seconds that a commit takes
RETRY = 2.0  # seconds after which a failed disk is tried again
TIMEOUT = 1.0  # seconds after which a client stops waiting for the result of a request
LATE = 0.5  # seconds after the timeout at which a delayed request arrives


@dataclass(frozen=True)
class Match:
    """One match at the store: the appended messages and their authors."""

    trail: tuple[str, ...] = ()  # author of each message, claims and releases included
    entries: tuple[bytes, ...] = ()
    heads: tuple[bytes, ...] = ()
    stamps: tuple[Stamps, ...] = ()
    hash: bytes = NO_HASH  # of the chain after the entries
    claim: int = 0
    owner: str = ""
    rules: str = ""
    seed: bytes | None = None
    file: bytes | None = None  # the exported log

    @property
    def records(self) -> list[Record]:
        """Return the log, with the heads that exist."""
        return [
            Record(entry, head)
            for entry, head in zip_longest(self.entries, self.heads, fillvalue=b"")
        ]


class TableDisk:
    """The store: the data that survives every process of the table."""

    def __init__(self) -> None:
        self.matches: dict[bytes, Match] = {}  # shown state
        self.durable: dict[bytes, Match] = {}  # durable state
        self.tables: dict[int, NewTable] = {}
        self.last_number = 0
        self.frozen = False  # nothing becomes durable, and nobody gets an answer
        # faults of the next requests: "", "request", "answer" or "late"
        self.befalls: deque[str] = deque()

    def append(self, who: str, at: int, new: NewRecords) -> bool:
        """Append records after message `at`, if the match ends there."""
        match = self.matches.get(new.match_id, Match())
        if (len(match.trail), match.hash) != (at, new.follows) or len(match.entries) != new.first:
            return False
        if len(match.heads) + len(new.heads) != new.first:
            raise Violation("the heads that came do not follow those that are stored")
        begin = {"seed": new.begin.seed, "rules": new.begin.rules} if new.begin else {}
        match = replace(
            match,
            trail=(*match.trail, who),
            entries=match.entries + new.entries,
            heads=match.heads + new.heads,
            stamps=(*match.stamps, new.stamps),
            hash=hash_after(new),
            owner=who,
            **begin,
        )
        self.matches[new.match_id] = replace(match, seed=None) if new.over else match
        return True

    def take(self, who: str, at: int, match_id: bytes, owner: str) -> bool:
        """Append a claim, or a release to another host, after message `at`, if the match ends
        there.
        """
        match = self.matches.get(match_id)
        if match is None or len(match.trail) != at:
            return False
        self.matches[match_id] = replace(
            match, trail=(*match.trail, who), claim=at + 1, owner=owner
        )
        return True

    def stop(self, who: str, at: int, match_id: bytes) -> bool:
        """Take a match from every host, if it ends at message `at`."""
        match = self.matches[match_id]
        if len(match.trail) == at:
            self.matches[match_id] = replace(
                match, trail=(*match.trail, who), claim=at + 1, file=b""
            )
        return len(match.trail) == at

    def put(self, change: Change) -> bool:
        """Write data that belongs to no match."""
        match change:
            case NewTable(number) if number in self.tables:
                return self.tables[number] == change
            case NewTable(number):
                self.tables[number], self.last_number = change, number
            case TableRemoved(number):
                self.tables.pop(number, None)
            case _:
                raise Violation("nobody here is a witness")
        return True

    def commit(self) -> None:
        """Make all shown data durable."""
        self.durable = dict(self.matches)

    def fail_over(self) -> None:
        """Change the leader: shown data that was not acknowledged is lost."""
        self.matches, self.frozen = dict(self.durable), False

    def holds(self, match_id: bytes, number: int, raw: bytes) -> bool:
        """Return whether this entry is durable."""
        entries = self.durable[match_id].entries if match_id in self.durable else ()
        return number < len(entries) and entries[number] == raw


@dataclass
class Place:
    """Position at which a client appends next."""

    claim: int  # as its room knows it
    at: int  # number of messages; the last is ours


@dataclass
class SimulatedStorage:
    """A `table.storage.interface.Storage` of one process over a `TableDisk`."""

    disk: TableDisk
    process: Process
    network: Network
    rng: Random
    name: str = "host"
    places: dict[bytes, Place] = field(default_factory=dict)  # of the matches that are ours
    owed: int = 0
    heard: float = 0.0

    def __post_init__(self) -> None:
        self.me = f"{self.name} {self.rng.random()}"  # a new name after each start

    # --- Storage ---

    async def start(self) -> SavedTable:
        return SavedTable(list(self.disk.tables.values()), self.disk.last_number)

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        async def work() -> None:
            taken = await self.taken(change)
            self.network.soon(done if taken else lost, process=self.process)

        self._begin(work())

    async def taken(self, change: Change) -> bool:
        """Return whether a change is durable in the end."""
        match change:
            case NewRecords():
                return await self.append(change)
            case MatchStopped():
                return await self.stop(change)
        return await self.put(change)

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        rows = [
            MatchOwnership(match_id, kept.claim, kept.owner, kept.rules, kept.seed is None)
            for match_id, kept in self.disk.matches.items()
            if kept.file is None
        ]
        self.network.soon(done, rows, process=self.process)

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        async def work() -> None:
            self.network.soon(done, await self.make_ours(match_id), process=self.process)

        self._begin(work())

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        async def work() -> None:
            place = self.places.pop(match_id, None)
            while place is not None and place.claim == claim:
                if (
                    await self.ask(self.disk.take, self.me, place.at, match_id, successor)
                    is not None
                ):
                    break
                if not await self.reclaim(match_id, place):
                    break
            self.network.soon(done, process=self.process)

        self._begin(work())

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        kept = self.disk.durable.get(match_id)
        whole = kept is not None and kept.seed is None and len(kept.heads) == len(kept.entries)
        self.network.soon(done, kept.records if kept and whole else [], process=self.process)

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        def work() -> None:
            kept = self.disk.matches[match_id]
            if len(kept.heads) < len(kept.entries):
                kept = replace(kept, heads=kept.heads + tuple(heads))
            file = MAGIC + b"".join(encode_record(*record) for record in kept.records)
            self.disk.matches[match_id] = replace(kept, file=file)
            self.disk.commit()
            self.network.soon(done, process=self.process)

        wait = self.rng.uniform(*COMMIT)
        self.network.later(
            wait,
            lambda: dangerous(self.network, "table_crash", self.process, work),
            process=self.process,
        )

    def silent(self) -> float:
        return self.network.loop.time() - self.heard if self.owed else 0.0

    def close(self) -> None:
        """Override `Storage.close`. Requests in transit arrive, and nobody hears of them."""

    # --- rule R3 ---

    async def append(self, new: NewRecords) -> bool:
        """Return whether these records are durable in the end."""
        place = (
            self.places.setdefault(new.match_id, Place(0, 0))
            if new.begin
            else self.places.get(new.match_id)
        )
        while place is not None and place.claim == new.claim:
            if await self.ask(self.disk.append, self.me, place.at, new):
                place.at += 1
                return True
            landed = await self.look(new, place)
            if landed is not None:
                return landed
        return False

    async def stop(self, change: MatchStopped) -> bool:
        """Return whether a match belongs to nobody in the end."""
        place = self.places.get(change.match_id)
        while place is not None and place.claim == change.claim:
            if await self.ask(self.disk.stop, self.me, place.at, change.match_id):
                place.claim = -1  # pending requests are not tried again
                return True
            if not await self.reclaim(change.match_id, place):
                break
        return False

    async def look(self, new: NewRecords, place: Place) -> bool | None:
        """Find out after a lost answer or a refusal whether the records are durable; None: try
        again.
        """
        if new.match_id not in self.disk.matches:
            return None  # their absence proves nothing; it is tried again
        if not await self.reclaim(new.match_id, place):
            return False
        kept = self.disk.matches[new.match_id]
        ends = len(kept.entries), kept.hash
        if ends == (new.first, new.follows):
            return None
        return ends == (new.first + len(new.entries), hash_after(new))

    async def reclaim(self, match_id: bytes, place: Place) -> bool:
        """Append a claim after the visible messages, to make them durable; return False if another
        host has the match.
        """
        while True:
            trail = self.disk.matches[match_id].trail if match_id in self.disk.matches else ()
            if len(trail) < place.at or any(who != self.me for who in trail[place.at :]):
                return False
            if await self.ask(self.disk.take, self.me, len(trail), match_id, self.name):
                place.at = len(trail) + 1
                return True

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        """Claim a match, whichever host has it."""
        while match_id in self.disk.matches and self.disk.matches[match_id].file is None:
            before = self.disk.matches[match_id]
            at = len(before.trail)
            if await self.ask(self.disk.take, self.me, at, match_id, self.name):
                kept = self.disk.matches[match_id]
                if len(kept.trail) != at + 1:
                    return None
                self.places[match_id] = Place(kept.claim, at + 1)
                stamps = stamps_by_number(kept.stamps, len(kept.entries))
                return OpenMatch(match_id, kept.claim, kept.seed or b"", kept.records, 0, stamps)
            now = self.disk.matches.get(match_id, before)
            if now.claim != before.claim and now.trail[-1] != self.me:
                return None
        return None

    async def put(self, change: Change) -> bool:
        """Write data that belongs to no match."""
        while (taken := await self.ask(self.disk.put, change)) is None:
            pass
        return taken

    async def ask(self, work: Callable[..., bool], *values: object) -> bool | None:
        """Make one request; return whether the store has taken it; None if unknown."""
        befalls = self._befalls()
        await asyncio.sleep(RETRY if befalls == "disk" else self.rng.uniform(*COMMIT))
        if befalls == "late":
            self.network.later(TIMEOUT + LATE, lambda: work(*values))
        if befalls in ("request", "late"):
            await asyncio.sleep(TIMEOUT)
            return None
        taken: list[bool] = []
        dangerous(self.network, "table_crash", self.process, lambda: taken.append(work(*values)))
        if not self.disk.frozen:
            self.disk.commit()
        if befalls == "answer" or self.disk.frozen:
            await asyncio.sleep(TIMEOUT)
            return None
        self.heard = self.network.loop.time()
        return taken[0]

    def _befalls(self) -> str:
        if self.disk.befalls:
            return self.disk.befalls.popleft()
        return next(
            (kind for kind in ("disk", "request", "answer", "late") if self.network.strikes(kind)),
            "",
        )

    def _begin(self, work: object) -> None:
        if not self.owed:
            self.heard = self.network.loop.time()
        self.owed += 1
        self.process.spawn(work).add_done_callback(self._end)  # type: ignore[arg-type]

    def _end(self, task: "asyncio.Task[None]") -> None:
        self.owed -= 1


def dangerous(network: Network, which: str, process: Process, work: Callable[[], object]) -> None:
    """Do work that changes a disk; or die just before or just after it. Raises: Killed."""
    if not process.alive:
        process.crash()
    if not network.strikes(which):
        work()
        return
    if network.rng.random() < 0.5:
        work()
    process.crash()
