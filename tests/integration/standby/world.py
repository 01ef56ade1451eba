"""Store of a table with a standby, for the common storage suite."""

from pathlib import Path
from typing import ClassVar

from table.metrics import Metrics
from table.standby.primary import StandbyReplica
from table.storage.disk.writer import Writer
from table.storage.interface import Storage
from tests.integration.standby.second import TABLE, Second
from tests.integration.storage.worlds import FaultyJournal, JournalWorld


class StandbyWorld(JournalWorld):
    """SQLite here and on a second machine. Faults of requests occur there."""

    faults: ClassVar[tuple[str, ...]] = ("request", "answer")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.second = Second(folder / "second")

    async def host(self, name: str) -> Storage:
        if self.writer is None:
            self.second.start()
            standby = StandbyReplica(self.second.address, TABLE, "", 0.001)
            self.writer = Writer(FaultyJournal(self.folder / "first"), 0.001, Metrics(), standby)
            self.kept = await self.writer.start()
        return self.writer

    def befall(self, fault: str) -> None:
        self.second.befalls.append(fault)

    def close(self) -> None:
        """Check that both journals are equal, and close them."""
        if self.writer is not None:
            first, second = self.writer.journal, self.second.journal
            super().close()
            self.second.stop()
            assert first.standing.place == second.standing.place
