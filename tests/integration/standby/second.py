"""Standby that runs beside a test in its own event loop, like another machine."""

import asyncio
import threading
from collections import deque
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from protocol.identity.keys import Identity
from table.standby.server import StandbyServer, open_standby
from table.storage.disk.journal import Journal
from table.storage.disk.replication_state import ReplicationState
from table.storage.disk.transactions import Transaction
from tests.support.ports import free_port

TABLE = Identity(b"t" * 32)


class Faulty(Journal):
    """Journal of a standby with faults at a transaction."""

    befalls: deque[str]

    def follow(self, transaction: Transaction, standing: ReplicationState) -> None:
        fault = self.befalls.popleft() if self.befalls else ""
        if fault != "request":
            super().follow(transaction, standing)
        if fault:
            raise OSError("disk I/O error")


class Second:
    """Standby in a folder. It can be started and stopped repeatedly at the same port."""

    def __init__(self, folder: Path, identity: Identity = TABLE) -> None:
        self.folder, self.identity, self.address = folder, identity, ("127.0.0.1", free_port())
        self.befalls: deque[str] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Start, and return when it listens."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._run(self._begin())

    def stop(self) -> None:
        """Stop all of it."""
        if self._loop is None:
            return
        self._run(self._server.close())
        self.journal.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = None

    async def _begin(self) -> None:
        self.journal = open_standby(self.folder, Faulty)
        assert isinstance(self.journal, Faulty)
        self.journal.befalls = self.befalls
        self._server = StandbyServer(self.journal, self.identity)
        await self._server.listen(*self.address)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)
