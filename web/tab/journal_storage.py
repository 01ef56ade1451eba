"""Store of a table in a tab, over a journal in its files: see `table.storage.interface`.

A tab has no threads, so each change is written at once. The files of table, bots and person lie in one
storage, and the browser stores them together (`web/static/storage.js`): after a reload all of them
go on from the same moment.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence

from protocol.match.log import Record
from protocol.messages.claim import CLAIM_ID
from table.storage.disk.journal import Journal
from table.storage.disk.match_rows import Claim, KeepHeads, Release
from table.storage.disk.transactions import Write
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    MatchOwnership,
    NewClaim,
    OpenMatch,
    SavedTable,
)


class JournalStorage:
    """Writes every change in the event loop, and owns the journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._loop = asyncio.get_running_loop()

    async def start(self) -> SavedTable:
        """Return the tables of an earlier run."""
        return self._journal.load()

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """Store a change."""
        self._loop.call_soon(done if self._write(change) else lost)

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        """List the matches that go on."""
        self._loop.call_soon(done, self._journal.open_matches())

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """Take a match of an earlier run."""
        drawn = new.id or os.urandom(CLAIM_ID)
        number = self._write(Claim(match_id, *new._replace(id=drawn)))
        self._loop.call_soon(done, self._journal.claimed(match_id) if number else None)

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        """Give up a match."""
        self._write(Release(match_id, claim, successor))
        self._loop.call_soon(done)

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        """Return the records of a match that is over."""
        self._loop.call_soon(done, self._journal.finished(match_id))

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        """Store the last heads of a match that is over, and write its log file."""
        if self._write(KeepHeads(match_id, tuple(heads))):
            self._journal.export(match_id)
        self._loop.call_soon(done)

    def silent(self) -> float:
        """Return 0: every answer comes at once."""
        return 0.0

    @property
    def safe(self) -> bool:
        """Return True: what cannot be stored ends the tab's program."""
        return True

    def close(self) -> None:
        """Close the journal: nothing waits."""
        self._journal.close()

    def _write(self, change: Write) -> int:
        """Return 0 if the change has come too late."""
        try:
            (outcome,) = self._journal.write([change])
        except sqlite3.IntegrityError:  # its number is taken
            return 0
        return outcome
