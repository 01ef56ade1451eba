"""The journal: every entry of every match, on disk before anybody is told of it.

SQLite in WAL mode with synchronous=FULL: a commit returns when the disk has it. The file is locked for this
process alone, so that two table managers cannot write one journal.
"""

import os
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from protocol.errors import LocalError
from protocol.logfile import MAGIC, SUFFIX, encode_record
from table.host import Record

JOURNAL_FILE = "journal.sqlite"
LOGS = "logs"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    match BLOB NOT NULL, number INTEGER NOT NULL, entry BLOB NOT NULL, head BLOB NOT NULL,
    PRIMARY KEY (match, number)
)
"""


class Journal:
    """The journal in a data directory."""

    def __init__(self, data: Path) -> None:
        """Raises: LocalError if it cannot be opened or another process has it."""
        self._logs = data / LOGS
        path = data / JOURNAL_FILE
        try:
            self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._database = _open(path)
        except (sqlite3.Error, OSError):
            raise LocalError(
                f"The journal {path} cannot be used. If another table is running on this directory, "
                "give this one its own with --data; else check the disk."
            ) from None

    def store(self, match_id: bytes, records: Sequence[Record]) -> None:
        """All of these records or none; on disk when it returns. Raises: sqlite3.Error."""
        rows = [(match_id, *record) for record in records]
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)
            self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")

    def matches(self) -> list[bytes]:
        """The ids of all matches there are."""
        return [row[0] for row in self._database.execute("SELECT match FROM records WHERE number = 0")]

    def records(self, match_id: bytes) -> list[Record]:
        """A match's records, in order."""
        query = "SELECT number, entry, head FROM records WHERE match = ? ORDER BY number"
        return [Record(*row) for row in self._database.execute(query, (match_id,))]

    def export(self, match_id: bytes, created: int) -> Path:
        """Write a match's log file from what is on disk, and give its path. `created`: Unix time of the match.

        Raises: sqlite3.Error, OSError.
        """
        date = datetime.fromtimestamp(created, UTC).date().isoformat()
        path = self._logs / f"{date}-{match_id.hex()[:8]}{SUFFIX}"
        draft = path.with_suffix(".part")
        with draft.open("wb") as file:
            file.write(MAGIC)
            file.writelines(encode_record(record.entry, record.head) for record in self.records(match_id))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        return path

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        # before WAL, so that its index lives in our memory and the lock is held from the first write on
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("BEGIN EXCLUSIVE")
        database.execute(_SCHEMA)
        database.execute("COMMIT")
    except sqlite3.Error:
        database.close()
        raise
    return database
