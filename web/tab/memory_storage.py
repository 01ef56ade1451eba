"""Store of a table in memory: see `table.storage.interface`. One process has it, and it ends with it."""

import asyncio
from collections.abc import Callable, Sequence

from protocol.match.log import Record
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    MatchOwnership,
    NewClaim,
    NewRecords,
    OpenMatch,
    SavedTable,
)


class MemoryStorage:
    """Stores everything at once, for a table that begins with no matches."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._entries: dict[bytes, list[bytes]] = {}  # by match
        self._heads: dict[bytes, list[bytes]] = {}

    async def start(self) -> SavedTable:
        """Return no tables."""
        return SavedTable([], 0)

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """Store a change. It never fails."""
        if isinstance(change, NewRecords):
            self._entries.setdefault(change.match_id, []).extend(change.entries)
            self._heads.setdefault(change.match_id, []).extend(change.heads)
        self._loop.call_soon(done)

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        """Return none: all matches that are not over are in the table's own memory."""
        self._loop.call_soon(done, ())

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """Return None: nobody else had a match."""
        self._loop.call_soon(done, None)

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        """Do nothing: there is no other host."""
        self._loop.call_soon(done)

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        """Return the records of a match that is over."""
        entries = self._entries.get(match_id, [])
        heads = self._heads.get(match_id, [])
        records = [Record(*pair) for pair in zip(entries, heads, strict=False)]
        self._loop.call_soon(done, records)

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        """Store the last heads of a match that is over."""
        self._heads.setdefault(match_id, []).extend(heads)
        self._loop.call_soon(done)

    def silent(self) -> float:
        """Return 0: every answer comes at once."""
        return 0.0

    @property
    def safe(self) -> bool:
        """Return True: memory takes everything."""
        return True

    def close(self) -> None:
        """Do nothing: nothing waits."""
