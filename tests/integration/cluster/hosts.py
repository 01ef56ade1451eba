"""Whole hosts of one table in one event loop, over a store in memory. They notice each other ten
times as fast as real hosts.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import SystemRandom
from typing import Any

from table.config import Membership, Pace
from table.manager.server import TableServer
from tests.support.table_stores.memory import MemoryEngine, Shared
from tests.support.tables import config, until

PACE = Pace(
    beat=0.1,
    silent=0.4,
    hear=0.15,
    look=0.02,
    pause=0.03,
    scan=1.0,
    again=2.0,
    pending=2.0,
    unfit=0.3,
    poll=0.05,
)


class Engine(MemoryEngine):
    """Engine with the constructor arguments of real stores."""

    most = 1 << 20


class Hosts:
    """Hosts by name."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.shared = folder, Shared()
        self.key = folder / "table.signer"
        self.key.touch(0o600)
        self.key.write_bytes(b"k" * 32)
        self.tables: dict[str, TableServer] = {}

    def table(
        self, name: str, pace: Pace = PACE, engine: type[MemoryEngine] = Engine, **values: Any
    ) -> TableServer:
        """Make a host that has not begun."""
        member = Membership(
            "memory", name, pace=pace, engine=lambda store, host: engine(self.shared)
        )
        given = {"rng": SystemRandom()} | values  # each host has its own random source
        return TableServer(config(self.folder / name, key=self.key, cluster=member, **given))

    async def begin(self, *names: str, **values: Any) -> list[TableServer]:
        """Start some hosts, one after the other."""
        for name in names:
            self.tables[name] = await self.table(name, **values).__aenter__()
        return [self.tables[name] for name in names]

    async def kill(self, name: str) -> None:
        """Stop a host like a machine that dies: nobody is told, and nothing is released."""
        table = self.tables.pop(name)
        cluster = table.manager.cluster
        assert cluster is not None
        cluster.close()
        for feed in table.matches.feeds.values():
            feed.close()
        for connection in list(table.connections):
            connection.abort()
        table._stop_listening()
        await table._release()

    async def end(self) -> None:
        """End all remaining hosts."""
        for table in self.tables.values():
            await table.stop()


async def hear_each_other(*tables: TableServer, seconds: float = PACE.beat) -> None:
    """Wait until each host has heard from another, at least `seconds` from now."""
    since = asyncio.get_running_loop().time() + seconds
    clusters = [table.manager.cluster for table in tables]
    await until(
        lambda: all(
            cluster is not None and cluster.view.last_heard() > since for cluster in clusters
        )
    )


@asynccontextmanager
async def hosts(folder: Path, *names: str, **values: Any) -> AsyncIterator[Hosts]:
    """Run hosts during the block."""
    found = Hosts(folder)
    try:
        await found.begin(*names, **values)
        yield found
    finally:
        await found.end()
