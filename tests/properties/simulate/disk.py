"""Players' disks in a simulated world: synced data survives the process, and a write may be its
last action.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from player.storage.agreement import Agreement
from player.storage.recovery_state import NOTHING
from protocol.games.decks.deck_hand import Loadout, loadout_bytes, read_loadout
from protocol.games.decks.ownership import Ownership
from protocol.match import refusal
from protocol.match.log import Record
from protocol.messages.claim import SignedClaim
from protocol.session.ticket import Ticket
from tests.properties.simulate.checks import Violation
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Process
from tests.properties.simulate.store import dangerous


@dataclass
class PlayerDisk:
    """Data that survives a player's process: the memory of one match, its log as far as synced, and
    the outbox.
    """

    agreement: Agreement | None = None
    seed: bytes = b""
    brings: bytes = NOTHING
    claim: SignedClaim | None = None  # the newest that the player has met
    outbox: bytes | None = None
    ticket: Ticket | None = None
    log: list[tuple[bytes, bytes]] = field(default_factory=list)
    ended: set[bytes] = field(default_factory=set)  # ids of matches that were over
    finished: bool = False  # the match was over, and only its log was needed further
    synced: int = 0  # number of records of the log that a crash does not remove


class SimulatedStore:
    """A `player.storage.log_store.Store` over a `PlayerDisk`."""

    path = None

    def __init__(self, disk: PlayerDisk, process: Process) -> None:
        self._disk, self._process = disk, process

    def append(
        self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
    ) -> None:
        if self._process.alive:
            self._disk.log.append((entry, head))

    def records(self, first: int) -> list[Record]:
        return [Record(*record) for record in self._disk.log[first:]]

    def set_aside(self, number: int, entry: bytes, head: bytes) -> Path:
        """Override `Store.set_aside`. No table here makes a fork."""
        raise Violation(f"a seat was shown two entries {number}, or a head that does not fit")

    def keep_refusal(self, kept: refusal.SavedRefusal) -> Path:
        """Override `Store.keep_refusal`. No table here refuses a valid entry."""
        raise Violation("a seat was refused an entry that it holds for legal")

    def sync(self) -> None:
        if self._process.alive:
            self._disk.synced = len(self._disk.log)

    def close(self) -> None:
        self.sync()


class SimulatedMemory:
    """A `player.storage.recovery_state.Memory` of one process over a `PlayerDisk`."""

    store = SimulatedStore

    def __init__(self, disk: PlayerDisk, process: Process, network: Network) -> None:
        self._disk, self._process, self._network = disk, process, network

    @property
    def agreement(self) -> Agreement:
        assert self._disk.agreement is not None
        return self._disk.agreement

    @property
    def seed(self) -> bytes:
        return self._disk.seed

    def brought(self, knows: Ownership) -> Loadout:
        return read_loadout(self._disk.brings, knows)

    def put(self, entry: bytes) -> None:
        """Override `Memory.put`. After a crash both this entry and the one before may be
        missing.
        """
        if self._network.strikes("player_torn"):
            self._disk.outbox = None
            self._process.crash()
        self._write(lambda: setattr(self._disk, "outbox", entry))

    def last(self) -> bytes | None:
        return self._disk.outbox

    def meet(self, claim: SignedClaim) -> None:
        """Note a claim that a host has stated; the player may die instead."""
        self._write(lambda: setattr(self._disk, "claim", claim))

    def claim(self) -> SignedClaim | None:
        return self._disk.claim

    def put_ticket(self, ticket: Ticket) -> None:
        if self._process.alive:
            self._disk.ticket = ticket

    def ticket(self) -> Ticket | None:
        return self._disk.ticket

    def records(self) -> list[tuple[bytes, bytes]]:
        return list(self._disk.log)

    def open_store(self, records: int) -> SimulatedStore:
        del self._disk.log[records:]
        return self.store(self._disk, self._process)

    def forget(self) -> None:
        def write() -> None:
            self._disk.agreement, self._disk.finished = None, True

        self._write(write)

    def end(self) -> None:
        agreement = self._disk.agreement
        self.forget()
        if agreement is not None:
            self._disk.ended.add(agreement.match_id)

    def _write(self, work: Callable[[], None]) -> None:
        dangerous(self._network, "player_crash", self._process, work)


class SimulatedFiles:
    """The `player.storage.recovery_state.MatchFiles` of one process over a `PlayerDisk`."""

    def __init__(
        self, disk: PlayerDisk, process: Process, network: Network, memory: type[SimulatedMemory]
    ) -> None:
        self._disk, self._process, self._network, self._memory = disk, process, network, memory

    def make_room(self) -> None:
        """Override `MatchFiles.make_room`. There is room."""

    def free_room(self) -> None: ...

    def has_ended(self, match_id: bytes) -> bool:
        return match_id in self._disk.ended

    def remember(self, agreement: Agreement, seed: bytes, brings: Loadout) -> SimulatedMemory:
        disk = self._disk

        def write() -> None:
            disk.agreement, disk.seed, disk.outbox, disk.log, disk.synced = (
                agreement,
                seed,
                None,
                [],
                0,
            )
            disk.brings = loadout_bytes(brings)
            disk.ticket = None
            disk.finished = False

        dangerous(self._network, "player_crash", self._process, write)
        return self._memory(disk, self._process, self._network)


def power_cut(disk: PlayerDisk, rng: Random) -> None:
    """Let the machine lose power: any part of the unsynced data remains."""
    kept = max(disk.synced, rng.randrange(len(disk.log) + 1))
    del disk.log[kept:]
    disk.synced = kept
