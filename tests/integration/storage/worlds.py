"""Stores for the suite. A further one needs a `World`, and a row in `WORLDS`."""

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
    """A store that begins empty, and its hosts."""

    faults: ClassVar[tuple[str, ...]] = ()  # faults that `befall` can cause
    kept: SavedTable  # state that the last started host found

    def __init__(self, folder: Path) -> None:
        """Prepare a store in an empty folder."""
        self.folder = folder

    def run(self, case: Case) -> None:
        """Run a case in an event loop that fits the store."""
        raise NotImplementedError

    async def host(self, name: str) -> Storage:
        """Start a host, including `Storage.start`. Others keep running."""
        raise NotImplementedError

    async def restart(self, name: str) -> Storage:
        """End all hosts, restart the store, and start a host."""
        raise NotImplementedError

    def befall(self, fault: str) -> None:
        """Cause a fault of the next request. "request": it never arrives. "answer": it arrives, but
        its answer is lost. "late": it arrives after its sender has given up.
        """
        raise NotImplementedError

    def contents(self) -> bytes:
        """Return all bytes of the store."""
        raise NotImplementedError


class FaultyJournal(Journal):
    """Journal whose disk fails at a write, before or after it."""

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
    """SQLite on this machine, so all hosts are one process."""

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
    """Simulated store in virtual time."""

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
