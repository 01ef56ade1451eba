"""Hosts over a real store, as in `Storage`, with entries that are unique to their host."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from table.storage.interface import MatchBeginning, NewRecords, OpenMatch, hash_after
from table.storage.shared.backend import StoreBackend
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.store_address import NatsAddress
from table.storage.shared.store import SharedStore

KEY = b"k" * 32


@asynccontextmanager
async def opened(
    address: NatsAddress, host: str, folder: Path, check_seconds: float = 60.0
) -> AsyncIterator[SharedStore]:
    """Open a host's store during the block."""
    async with hosted(NatsEngine(address, host, check_seconds), host, folder) as store:
        yield store


@asynccontextmanager
async def hosted(engine: StoreBackend, host: str, folder: Path) -> AsyncIterator[SharedStore]:
    """Open a host's store over any engine."""
    store = SharedStore(engine, host, KEY, folder)
    await store.start()
    try:
        yield store
    finally:
        store.close()
        await store.closed()


async def submitted(store: SharedStore, new: Any) -> bool:
    """Submit, and return True if it is stored, False if the ownership is lost."""
    answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    store.submit(new, lambda: answer.set_result(True), lambda: answer.set_result(False))
    return await answer


async def claimed(store: SharedStore, match_id: bytes) -> OpenMatch | None:
    """Claim a match, and return the result."""
    answer: asyncio.Future[OpenMatch | None] = asyncio.get_running_loop().create_future()
    store.claim(match_id, answer.set_result)
    return await answer


@dataclass
class Owner:
    """Host that continues one match, one entry at a time."""

    store: SharedStore
    match_id: bytes
    name: str
    claim: int = 0
    # entries that were acknowledged to this host, or that it found with its claim
    told: list[bytes] = field(default_factory=list)
    hash: bytes = bytes(32)

    def next(self, size: int = 200) -> NewRecords:
        """Make one more entry."""
        entry = f"{self.name} {len(self.told)} ".encode().ljust(size, b".")
        begin = None if self.told else MatchBeginning(b"sealed", "rules")
        return NewRecords(
            self.match_id, len(self.told), self.hash, self.claim, (entry,), begin=begin
        )

    async def append(self) -> bool:
        """Append an entry. Return True if it is stored."""
        new = self.next()
        if not await submitted(self.store, new):
            return False
        self.told += new.entries
        self.hash = hash_after(new)
        return True

    async def take(self) -> bool:
        """Claim the match."""
        found = await claimed(self.store, self.match_id)
        if found is None:
            return False
        self.told = [record.entry for record in found.records]
        self.hash = hash_after(NewRecords(self.match_id, 0, bytes(32), 0, tuple(self.told)))
        self.claim = found.claim
        return True
