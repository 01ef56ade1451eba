"""Disks in a simulated world: what is synced stays when the process dies, and a write may be its last act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from player.agreement import Agreement
from player.disk.memory import NOTHING
from protocol.games.decks.held import Brings, brings_bytes, read_brings
from protocol.games.decks.own import Knows
from protocol.match import refusal
from protocol.match.log import Record
from protocol.match.logfile import MAGIC, encode_record
from table.room.storage import Change, Kept, NewRecords, NewTable, OpenMatch
from tests.simulate.checks import Violation
from tests.simulate.link import Network
from tests.simulate.loop import Process

COMMIT = (0.0005, 0.02)  # seconds that a commit takes
RETRY = 2.0  # seconds after which a disk that refused is asked again


@dataclass
class Match:
    """One match on the disk."""

    records: list[Record] = field(default_factory=list)
    seed: bytes | None = None
    file: bytes | None = None  # the exported log


class TableDisk:
    """What survives the table's process."""

    def __init__(self) -> None:
        self.matches: dict[bytes, Match] = {}
        self.tables: dict[int, NewTable] = {}
        self.last_number = 0

    def apply(self, change: Change) -> None:
        """Write one change."""
        match change:
            case NewRecords(match_id, first, records, seed, over):
                kept = self.matches.setdefault(match_id, Match())
                kept.seed = None if over else seed or kept.seed
                if first != len(kept.records):
                    raise Violation("the table stored an entry twice, or left one out")
                kept.records += records
            case NewTable(number):
                self.tables[number], self.last_number = change, number
            case _:
                del self.tables[change.number]

    def holds(self, match_id: bytes, number: int, raw: bytes) -> bool:
        """Whether this entry is on it."""
        records = self.matches[match_id].records if match_id in self.matches else []
        return number < len(records) and records[number].entry == raw


class SimulatedStorage:
    """A `table.room.storage.Storage` over a `TableDisk`, of one process."""

    def __init__(self, disk: TableDisk, process: Process, network: Network, rng: Random) -> None:
        self._disk, self._process, self._network, self._rng = disk, process, network, rng
        self._queue: list[tuple[Change, Callable[[], None]]] = []
        self._busy = False

    def load(self) -> Kept:
        """See `Storage.load`."""
        disk = self._disk
        matches = [
            OpenMatch(match_id, kept.seed, list(kept.records)) for match_id, kept in disk.matches.items() if kept.seed
        ]
        unexported = [match_id for match_id, kept in disk.matches.items() if not kept.seed and kept.file is None]
        return Kept(matches, list(disk.tables.values()), disk.last_number, unexported)

    def submit(self, change: Change, done: Callable[[], None]) -> None:
        """See `Storage.submit`."""
        self._queue.append((change, done))
        self._begin()

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record]], None]) -> None:
        """See `Storage.fetch`."""
        kept = self._disk.matches.get(match_id)
        self._later(lambda: done(list(kept.records) if kept else []))

    def export(self, match_id: bytes) -> None:
        """See `Storage.export`."""
        self._later(lambda: dangerous(self._network, "table_crash", self._process, lambda: self._export(match_id)))

    def close(self) -> None:
        """See `Storage.close`."""
        for change, _ in self._queue:
            self._disk.apply(change)
        self._queue.clear()

    def _later(self, work: Callable[[], None], seconds: float | None = None) -> None:
        wait = self._rng.uniform(*COMMIT) if seconds is None else seconds
        self._network.later(wait, work, process=self._process)

    def _begin(self) -> None:
        if self._queue and not self._busy:
            self._busy = True
            refused = self._network.strikes("disk")
            self._later(self._commit, RETRY if refused else None)

    def _commit(self) -> None:
        """All that waits goes onto the disk at once; then, and not before, those who wait are told."""
        batch, self._queue, self._busy = self._queue, [], False
        dangerous(
            self._network, "table_crash", self._process, lambda: [self._disk.apply(change) for change, _ in batch]
        )
        for _, done in batch:
            self._network.soon(done, process=self._process)
        self._begin()

    def _export(self, match_id: bytes) -> None:
        kept = self._disk.matches[match_id]
        kept.file = MAGIC + b"".join(encode_record(record.entry, record.head) for record in kept.records)


def dangerous(network: Network, which: str, process: Process, work: Callable[[], object]) -> None:
    """Do what changes a disk; or die before it, or after it, before anything else is done. Raises: Killed."""
    if not process.alive:
        process.crash()
    if not network.strikes(which):
        work()
        return
    if network.rng.random() < 0.5:
        work()
    process.crash()


@dataclass
class PlayerDisk:
    """What survives a player's process: one memory of a match, its log as far as it was synced, and the outbox."""

    agreement: Agreement | None = None
    seed: bytes = b""
    brings: bytes = NOTHING
    outbox: bytes | None = None
    log: list[tuple[bytes, bytes]] = field(default_factory=list)
    finished: bool = False  # the match was over, and nothing of it but its log was needed any more
    synced: int = 0  # records of the log that a crash does not take


class SimulatedStore:
    """A `player.disk.store.Store` over a `PlayerDisk`."""

    path = None

    def __init__(self, disk: PlayerDisk, process: Process) -> None:
        self._disk, self._process = disk, process

    def append(self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None) -> None:
        """See `Store.append`."""
        if self._process.alive:
            self._disk.log.append((entry, head))

    def set_aside(self, number: int, entry: bytes, head: bytes) -> Path:
        """See `Store.set_aside`. No table here is that bold."""
        raise Violation(f"a seat was shown two entries {number}, or a head that does not fit")

    def keep_refusal(self, kept: refusal.Kept) -> Path:
        """See `Store.keep_refusal`. No table here refuses what it has to take."""
        raise Violation("a seat was refused an entry that it holds for legal")

    def sync(self) -> None:
        """See `Store.sync`."""
        if self._process.alive:
            self._disk.synced = len(self._disk.log)

    def close(self) -> None:
        """See `Store.close`."""
        self.sync()


class SimulatedMemory:
    """A `player.disk.memory.Memory` over a `PlayerDisk`, of one process."""

    store = SimulatedStore

    def __init__(self, disk: PlayerDisk, process: Process, network: Network) -> None:
        self._disk, self._process, self._network = disk, process, network

    @property
    def agreement(self) -> Agreement:
        """See `Memory`."""
        assert self._disk.agreement is not None
        return self._disk.agreement

    @property
    def seed(self) -> bytes:
        """See `Memory`."""
        return self._disk.seed

    def brought(self, knows: Knows) -> Brings:
        """See `Memory.brought`."""
        return read_brings(self._disk.brings, knows)

    def put(self, entry: bytes) -> None:
        """See `Memory.put`. A crash may leave neither this entry nor the one before."""
        if self._network.strikes("player_torn"):
            self._disk.outbox = None
            self._process.crash()
        self._write(lambda: setattr(self._disk, "outbox", entry))

    def last(self) -> bytes | None:
        """See `Memory.last`."""
        return self._disk.outbox

    def records(self) -> list[tuple[bytes, bytes]]:
        """See `Memory.records`."""
        return list(self._disk.log)

    def open_store(self, records: int) -> SimulatedStore:
        """See `Memory.open_store`."""
        del self._disk.log[records:]
        return self.store(self._disk, self._process)

    def forget(self) -> None:
        """See `Memory.forget`."""

        def write() -> None:
            self._disk.agreement, self._disk.finished = None, True

        self._write(write)

    def _write(self, work: Callable[[], None]) -> None:
        dangerous(self._network, "player_crash", self._process, work)


class SimulatedFiles:
    """The `player.disk.memory.MatchFiles` of one process over a `PlayerDisk`."""

    def __init__(self, disk: PlayerDisk, process: Process, network: Network, memory: type[SimulatedMemory]) -> None:
        self._disk, self._process, self._network, self._memory = disk, process, network, memory

    def remember(self, agreement: Agreement, seed: bytes, brings: Brings) -> SimulatedMemory:
        """See `MatchFiles.remember`."""
        disk = self._disk

        def write() -> None:
            disk.agreement, disk.seed, disk.outbox, disk.log, disk.synced = agreement, seed, None, [], 0
            disk.brings = brings_bytes(brings)
            disk.finished = False

        dangerous(self._network, "player_crash", self._process, write)
        return self._memory(disk, self._process, self._network)


def power_cut(disk: PlayerDisk, rng: Random) -> None:
    """The machine dies: of what was not synced, any part is there afterwards."""
    kept = max(disk.synced, rng.randrange(len(disk.log) + 1))
    del disk.log[kept:]
    disk.synced = kept
