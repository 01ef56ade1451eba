"""The stores that the suite runs over. Another one is one more `World`, and its row in `WORLDS`."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import ClassVar

from table.metrics import Metrics
from table.storage.disk.journal import Journal
from table.storage.disk.transactions import Write
from table.storage.disk.writer import Writer
from table.storage.interface import SavedTable, Storage
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Process, VirtualLoop
from tests.properties.simulate.store import SimulatedStorage, TableDisk
from tests.properties.simulate.weather import CALM

Case = Callable[["World"], Awaitable[None]]


class World:
    """One store that begins empty, and the hosts that use it."""

    faults: ClassVar[tuple[str, ...]] = ()  # what `befall` can do to a request
    kept: SavedTable  # what the host found that began last

    def __init__(self, folder: Path) -> None:
        """`folder`: empty, for whatever the store keeps."""
        self.folder = folder

    def run(self, case: Case) -> None:
        """Play a case, in an event loop of the world's own kind."""
        raise NotImplementedError

    async def host(self, name: str) -> Storage:
        """A host of this name that begins now, `Storage.start` included; others go on."""
        raise NotImplementedError

    async def restart(self, name: str) -> Storage:
        """The same, once all hosts have ended and the store has been started anew."""
        raise NotImplementedError

    def befall(self, fault: str) -> None:
        """What happens to the next request: "request" (it never arrives), "answer" (it arrives, and
        nobody hears of it), "late" (it arrives when its sender has given it up)."""
        raise NotImplementedError

    def contents(self) -> bytes:
        """All bytes that the store keeps anywhere."""
        raise NotImplementedError


class FaultyJournal(Journal):
    """A journal whose disk fails at a write, before or after it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.befalls: deque[str] = deque()

    def write(self, changes: list[Write]) -> list[int]:
        fault = self.befalls.popleft() if self.befalls else ""
        outcomes = [] if fault == "request" else super().write(changes)
        if fault:
            raise sqlite3.OperationalError("disk I/O error")
        return outcomes


class JournalWorld(World):
    """SQLite on this machine: one process, so all hosts are one."""

    faults = ("request", "answer")
    writer: Writer | None = None

    def run(self, case: Case) -> None:
        async def work() -> None:
            try:
                await asyncio.wait_for(case(self), 60)
            finally:
                self.close()

        asyncio.run(work())

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer = None

    async def host(self, name: str) -> Storage:
        if self.writer is None:
            self.writer = Writer(FaultyJournal(self.folder), 0.001, Metrics())
            self.kept = await self.writer.start()
        return self.writer

    async def restart(self, name: str) -> Storage:
        self.close()
        return await self.host(name)

    def befall(self, fault: str) -> None:
        assert self.writer is not None and isinstance(self.writer.journal, FaultyJournal)
        self.writer.journal.befalls.append(fault)

    def contents(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


class SimulatedWorld(World):
    """The simulated store, in virtual time."""

    faults = ("request", "answer", "late")
    storage: type[SimulatedStorage] = SimulatedStorage

    def run(self, case: Case) -> None:
        self.loop, self.disk = VirtualLoop(), TableDisk()
        self.loop.limit = 1000
        self.network = self.loop.network = Network(self.loop, Random(1))
        self.network.weather, self.starts = CALM, 0
        try:
            self.loop.run_until_complete(case(self))
            assert not self.loop.errors
        finally:
            for process in [process for process in self.loop.tasks if process is not None]:
                process.kill()
            self.loop.close()

    async def host(self, name: str) -> SimulatedStorage:
        self.starts += 1
        storage = self.storage(
            self.disk, Process(self.loop, name, "10.0.0.1"), self.network, Random(self.starts), name
        )
        self.kept = await storage.start()
        return storage

    async def restart(self, name: str) -> SimulatedStorage:
        for process in [process for process in self.loop.tasks if process is not None]:
            process.kill()
        return await self.host(name)

    def befall(self, fault: str) -> None:
        self.disk.befalls.append(fault)

    def contents(self) -> bytes:
        return repr(self.disk.matches).encode()


WORLDS: dict[str, type[World]] = {"journal": JournalWorld, "simulated": SimulatedWorld}
