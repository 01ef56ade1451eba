"""Stores on other machines (`table.storage.shared`) for the suite: one in memory with virtual time, and
real ones.
"""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from table.storage.interface import Storage
from table.storage.shared.backend import StoreBackend
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.store_address import NatsAddress
from table.storage.shared.store import SharedStore
from tests.integration.storage.worlds import Case, World
from tests.support.table_stores.memory import MemoryEngine, Shared, all_late, befallen, in_no_time
from tests.support.table_stores.owners import KEY


class StoreWorld(World):
    """Hosts over a store, connected by `engine`."""

    faults: ClassVar[tuple[str, ...]] = ("request", "answer", "late")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._hosts: list[SharedStore] = []
        self.befalls: deque[str] = deque()

    def engine(self, name: str) -> StoreBackend:
        """Make a host's connection."""
        raise NotImplementedError

    async def play(self, case: Case) -> None:
        """Run a case in the running event loop."""
        try:
            await case(self)
        finally:
            await self._end()

    async def host(self, name: str) -> Storage:
        store = SharedStore(self.engine(name), name, KEY, self.folder)
        self.kept = await store.start()
        self._hosts.append(store)
        return store

    async def restart(self, name: str) -> Storage:
        await self._end()
        return await self.host(name)

    def befall(self, fault: str) -> None:
        self.befalls.append(fault)

    async def _end(self) -> None:
        for store in self._hosts:
            store.close()
            await store.closed()
        self._hosts.clear()


class MemoryWorld(StoreWorld):
    """A store in memory."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.shared = Shared(befalls=self.befalls)

    def engine(self, name: str) -> StoreBackend:
        return MemoryEngine(self.shared)

    def run(self, case: Case) -> None:
        in_no_time(self.play(case))

    def contents(self) -> bytes:
        items = enumerate(self.shared.items, 1)
        return b"".join(data for number, (_, data) in items if number not in self.shared.erased)


class FaultyNats(NatsEngine):
    """Engine with faults at appends."""

    def __init__(self, address: NatsAddress, host: str, befalls: deque[str]) -> None:
        super().__init__(address, host)
        self._befalls = befalls

    async def append(self, subject: str, after: int, data: bytes) -> int:
        return await befallen(
            self._befalls, lambda: super(FaultyNats, self).append(subject, after, data)
        )


class NatsWorld(StoreWorld):
    """Real servers, kept from one case to the next."""

    def __init__(self, folder: Path, address: NatsAddress, read: Callable[[], bytes]) -> None:
        """Connect to servers. `read` returns all their contents."""
        super().__init__(folder)
        self._address, self.contents = address, read  # type: ignore[method-assign]

    def engine(self, name: str) -> StoreBackend:
        return FaultyNats(self._address, name, self.befalls)

    async def _end(self) -> None:
        await all_late()
        await super()._end()
