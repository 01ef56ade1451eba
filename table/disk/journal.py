"""The journal: every entry of every match, on disk before anybody is told of it.

SQLite in WAL mode with synchronous=FULL: a commit returns when the disk has it. The file is locked for this
process alone, so that two table managers cannot write one journal. It is readable by its owner only: until a match
is over it holds the seed of the table's secrets in it.

A match that is over becomes a file, and goes, oldest first, when there is more of such than is kept; files likewise.

Nothing here waits for an event loop or calls into one: `table.disk.writer` runs it in a thread of its own.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.match.log import Record, decode_entry
from protocol.match.logfile import MAGIC, SUFFIX, encode_record
from protocol.match.setup import created_at
from protocol.match.terms import TERMS, Terms, decode_terms, encode_terms
from table.config import Bounds
from table.disk.words import SCHEMA, load_words, write_words
from table.room.storage import Change, HeadAhead, Kept, NewRecords, NewTable, NewWords, NoTable, OpenMatch

JOURNAL_FILE = "journal.sqlite"
LOGS = "logs"
_DRAFT = ".part"
MIB = 1024 * 1024
BLOCK = 4096  # bytes; of nearly all file systems
T = TypeVar("T")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    match BLOB NOT NULL, number INTEGER NOT NULL, entry BLOB NOT NULL, head BLOB NOT NULL,
    PRIMARY KEY (match, number)
);
CREATE TABLE IF NOT EXISTS matches (match BLOB PRIMARY KEY, seed BLOB, exported INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS exported ON matches (exported);
CREATE TABLE IF NOT EXISTS tables (number INTEGER PRIMARY KEY AUTOINCREMENT, terms BLOB NOT NULL, creator BLOB NOT NULL)
"""


class Journal:
    """The journal in a data directory. One thread at a time may use it."""

    def __init__(self, data: Path, bounds: Bounds | None = None) -> None:
        """`bounds`: how much is kept of matches that are over.

        Raises: LocalError if it cannot be opened or another process has it.
        """
        bounds = bounds or Bounds()
        self._logs, self.path = data / LOGS, data / JOURNAL_FILE
        try:
            self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            for draft in self._logs.glob(f"*{_DRAFT}"):  # of an export that a crash cut short
                draft.unlink()
            self._database = _open(self.path)
            query = "SELECT match, exported FROM matches WHERE exported > 0 ORDER BY rowid"
            self._matches = _Shelf(self._database.execute(query), bounds.journal_mib * MIB)
            self._files = _Shelf(_files(self._logs), bounds.logs_mib * MIB)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def load(self) -> Kept:
        """What a table begins with again. Raises: LocalError if the file is damaged."""
        try:
            matches = [
                OpenMatch(match_id, seed, self.records(match_id))
                for match_id, seed in self._database.execute("SELECT match, seed FROM matches WHERE seed IS NOT NULL")
            ]
            rows = self._database.execute("SELECT number, terms, creator FROM tables ORDER BY number").fetchall()
            last = self._database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'tables'").fetchone()
            query = "SELECT match FROM matches WHERE seed IS NULL AND NOT exported"
            unexported = [row[0] for row in self._database.execute(query)]
            words = load_words(self._database)
            tables = [NewTable(number, _decode_terms(terms), creator) for number, terms, creator in rows]
        except (sqlite3.Error, RemoteError) as error:
            raise self._unusable(error) from None
        return Kept(matches, tables, last[0] if last else 0, unexported, *words)

    def write(self, changes: Iterable[Change]) -> None:
        """All of these changes or none; on disk when it returns. Raises: sqlite3.Error."""
        with self._transaction():
            for change in changes:
                match change:
                    case NewRecords():
                        self._add(change)
                    case NewTable(number, terms, creator):
                        row = number, wire.encode(encode_terms(terms)), creator
                        self._database.execute("INSERT INTO tables VALUES (?, ?, ?)", row)
                    case NoTable(number):
                        self._database.execute("DELETE FROM tables WHERE number = ?", (number,))
                    case NewWords() | HeadAhead():
                        write_words(self._database, change)

    def records(self, match_id: bytes) -> list[Record]:
        """A match's records, in order. Raises: sqlite3.Error."""
        return list(self._records(match_id))

    def finished(self, match_id: bytes) -> list[Record]:
        """The records of a match that is over; none if there is no such match. Raises: sqlite3.Error."""
        query = "SELECT 1 FROM matches WHERE match = ? AND seed IS NULL"
        return self.records(match_id) if self._database.execute(query, (match_id,)).fetchone() else []

    def export(self, match_id: bytes) -> Path:
        """Write a match's log file from what is on disk, and give its path. Raises: sqlite3.Error, OSError."""
        records = self._records(match_id)
        first = next(records)
        date = datetime.fromtimestamp(created_at(decode_entry(first.entry).body), UTC).date().isoformat()
        path = self._logs / f"{date}-{match_id.hex()[:8]}{SUFFIX}"
        draft = path.with_suffix(_DRAFT)
        with draft.open("wb") as file:
            file.write(MAGIC + encode_record(first.entry, first.head))
            file.writelines(encode_record(record.entry, record.head) for record in records)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        with self._transaction():  # `exported`: the bytes of its file
            self._database.execute("UPDATE matches SET exported = ? WHERE match = ?", (path.stat().st_size, match_id))
        self._prune(match_id, path)
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the seed of the match is in the WAL no more
        return path

    def _prune(self, newest: bytes, file: Path) -> None:
        """Forget the oldest matches that are files now, as far as they are more than is kept; not the newest. And the
        oldest files likewise."""
        size = file.stat().st_size
        for match_id in self._matches.with_newest(newest, size):
            with self._transaction():
                self._database.execute("DELETE FROM records WHERE match = ?", (match_id,))
                self._database.execute("DELETE FROM matches WHERE match = ?", (match_id,))
        for path in self._files.with_newest(file, size):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _add(self, new: NewRecords) -> None:
        rows = [(new.match_id, number, *record) for number, record in enumerate(new.records, new.first)]
        self._database.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)
        if new.seed is not None:
            self._database.execute("INSERT INTO matches (match, seed) VALUES (?, ?)", (new.match_id, new.seed))
        if new.over:
            self._database.execute("UPDATE matches SET seed = NULL WHERE match = ?", (new.match_id,))

    def _records(self, match_id: bytes) -> Iterator[Record]:
        query = "SELECT entry, head FROM records WHERE match = ? ORDER BY number"
        return (Record(*row) for row in self._database.execute(query, (match_id,)))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")

    def _unusable(self, error: Exception) -> LocalError:
        damaged = isinstance(error, RemoteError) or (
            isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        )
        if damaged:
            return LocalError("wrong.journal.damaged", path=str(self.path))
        return LocalError("wrong.journal.held", path=str(self.path))


class _Shelf(Generic[T]):
    """What is kept, the oldest first: it is looked through once, so that strangers' many short matches slow nobody."""

    def __init__(self, things: Iterable[tuple[T, int]], most: int) -> None:
        """`things` with their sizes; `most`: of all sizes together, in bytes."""
        self._things = {thing: _taken(size) for thing, size in things}
        self._total, self._most = sum(self._things.values()), most

    def with_newest(self, newest: T, size: int) -> Iterator[T]:
        """Add a thing, and give those that must go for it; the newest stays."""
        self._total += _taken(size) - self._things.pop(newest, 0)
        self._things[newest] = _taken(size)
        while self._total > self._most and len(self._things) > 1:
            oldest = next(iter(self._things))
            yield oldest  # if it cannot be removed, it stays in the account
            self._total -= self._things.pop(oldest)


def _taken(size: int) -> int:
    """Bytes that a disk has taken by so many: whole blocks."""
    return -(-size // BLOCK) * BLOCK


def _files(folder: Path) -> list[tuple[Path, int]]:
    """The log files, the oldest first, with their sizes."""
    found = [(path, path.stat()) for path in folder.glob(f"*{SUFFIX}")]
    return [(path, stat.st_size) for path, stat in sorted(found, key=lambda each: (each[1].st_mtime_ns, each[0]))]


def _open(path: Path) -> sqlite3.Connection:
    _make_private(path)
    database = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        # before WAL, so that its index lives in our memory and the lock is held from the first write on
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        database.execute("BEGIN EXCLUSIVE")
        for statement in (*_SCHEMA.split(";"), *SCHEMA.split(";")):
            database.execute(statement)
        database.execute("COMMIT")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _make_private(path: Path) -> None:
    """The file, readable by its owner only; SQLite gives its other files the same permissions.

    Raises: sqlite3.DatabaseError for an empty file beside a WAL: SQLite would take it for new, and throw the WAL away.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        wal = path.with_name(f"{path.name}-wal")
        if not os.fstat(descriptor).st_size and wal.exists() and wal.stat().st_size:
            raise sqlite3.DatabaseError
    finally:
        os.close(descriptor)


def _decode_terms(data: bytes) -> Terms:
    values = wire.decode(data)
    if not TERMS(values):
        raise RemoteError(Code.BAD_MESSAGE)
    return decode_terms(values)
