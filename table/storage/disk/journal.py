"""The journal: every entry of every match, on disk before anybody is told of it.

SQLite in WAL mode with synchronous=FULL: a commit returns when the disk has it. The file is locked
for this process alone, so that two table managers cannot write one journal. It is readable by its
owner only: until a match is over it holds the seed of the table's secrets in it.

A match that is over becomes a file, and goes, oldest first, when there is more of such than is
kept; files likewise.

Nothing here waits for an event loop or calls into one: `table.storage.disk.writer` runs it in a thread of
its own.
"""

import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import JOURNAL_ROWS
from protocol.match.log import Record
from protocol.match.log_file import SUFFIX
from protocol.match.terms import TERMS, Terms, decode_terms, encode_terms
from table.config import Bounds
from table.storage.disk import attestation_rows
from table.storage.disk.attestation_rows import load_words, write_words
from table.storage.disk.database import open_database
from table.storage.disk.log_files import DRAFT, run_to_end, write_log, write_log_parts
from table.storage.disk.match_rows import (
    Claim,
    Cut,
    Exported,
    KeepHeads,
    LaterEntry,
    PreviousEntry,
    Release,
    append,
    being_removed,
    claimed,
    cut,
    cut_before,
    cut_by_claim,
    keep_heads,
    open_matches,
    prepare,
    read_records,
    remove_parts,
    stop,
    take,
)
from table.storage.disk.replication_state import (
    Diverged,
    ReplicationState,
    is_unused,
    keep_for_standby,
    prepare_standing,
    put_rows,
    read_standing,
    rows_to_copy,
    unsent,
    write_standing,
)
from table.storage.disk.transactions import Transaction, Write, decode_transaction
from table.storage.interface import (
    HeadAhead,
    MatchOwnership,
    MatchStopped,
    NewAttestations,
    NewRecords,
    NewTable,
    OpenMatch,
    SavedTable,
    TableRemoved,
)

JOURNAL_FILE = "journal.sqlite"
LOGS = "logs"
MIB = 1024 * 1024
BLOCK = 4096  # bytes; of nearly all file systems
T = TypeVar("T")
_TABLES = """
CREATE TABLE IF NOT EXISTS tables (number INTEGER PRIMARY KEY AUTOINCREMENT, terms BLOB NOT NULL, creator BLOB NOT NULL)
"""


class Journal:
    """The journal in a data directory. One thread at a time may use it."""

    def __init__(self, data: Path, bounds: Bounds | None = None) -> None:
        """`bounds`: how much is kept of matches that are over.

        Raises: LocalError if it cannot be opened or another process has it.
        """
        bounds = bounds or Bounds()
        self._acknowledged = 0  # the last transaction that the standby is known to have
        self._logs, self.path = data / LOGS, data / JOURNAL_FILE
        try:
            self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._bounds, self._database = bounds, open_database(self.path, _prepare)
            # of an export that a crash cut short: nobody else writes now
            for draft in self._logs.glob(f"*{DRAFT}"):
                draft.unlink()
            self.standing = read_standing(self._database)
            self._look_through()
        except (sqlite3.Error, OSError, PreviousEntry, LaterEntry) as error:
            raise self._unusable(error) from None

    def _look_through(self) -> None:
        for match_id in being_removed(self._database):
            run_to_end(remove_parts(self._database, match_id))
        query = "SELECT match, exported FROM matches WHERE exported > 0 ORDER BY rowid"
        self._matches = _Shelf(self._database.execute(query), self._bounds.journal_mib * MIB)
        self._files = _Shelf(_files(self._logs), self._bounds.logs_mib * MIB)

    def load(self) -> SavedTable:
        """What a table begins with again, beside its matches. Raises: LocalError if the file is
        damaged.
        """
        try:
            rows = self._database.execute(
                "SELECT number, terms, creator FROM tables ORDER BY number"
            ).fetchall()
            last = self._database.execute(
                "SELECT seq FROM sqlite_sequence WHERE name = 'tables'"
            ).fetchone()
            signed = load_words(self._database)
            self.open_matches()
            tables = [
                NewTable(number, _decode_terms(terms), creator) for number, terms, creator in rows
            ]
        except (sqlite3.Error, RemoteError) as error:
            raise self._unusable(error) from None
        return SavedTable(tables, last[0] if last else 0, *signed)

    def write(self, changes: Iterable[Write]) -> list[int]:
        """All of these or none, and durable when it returns; of each, 0 if it has come too late,
        and changed nothing.

        Of a claim that stands, its number. Raises: sqlite3.Error.
        """
        several, made = list(changes), list[tuple[int, Write]]()
        with self._transaction():
            outcomes = [self._make(change, made) for change in several]
            moved = keep_for_standby(self._database, made, self._acknowledged)
        self.standing = moved or self.standing
        return outcomes

    def _make(self, change: Write, made: list[tuple[int, Write]]) -> int:
        """Write a change, and note it with its outcome; first, if it is needed, that a match had
        lost its end.
        """
        if isinstance(change, Claim) and (dropped := cut_by_claim(self._database, change)):
            made.append((self._write(dropped), dropped))
        outcome = self._write(change)
        if (
            not outcome
            and isinstance(change, NewRecords)
            and (lost := cut_before(self._database, change))
        ):
            made.append((self._write(lost), lost))
            outcome = self._write(change)
        made.append((outcome, change))
        return outcome

    def _write(self, change: Write) -> int:
        match change:
            case NewRecords():
                return int(append(self._database, change))
            case Claim() | Release():
                return take(self._database, change)
            case MatchStopped():
                return int(stop(self._database, change))
            case Cut():
                cut(self._database, change)
            case KeepHeads():
                keep_heads(self._database, change)
            case NewTable(number, terms, creator):
                row = number, wire.encode(encode_terms(terms)), creator
                found = self._database.execute(
                    "SELECT * FROM tables WHERE number = ?", (number,)
                ).fetchone()
                if found is not None:
                    return int(found == row)  # what is there already stands
                self._database.execute("INSERT INTO tables VALUES (?, ?, ?)", row)
            case TableRemoved(number):
                self._database.execute("DELETE FROM tables WHERE number = ?", (number,))
            case NewAttestations() | HeadAhead():
                write_words(self._database, change)
            case Exported(match_id, size):
                self._database.execute(
                    "UPDATE matches SET exported = ? WHERE match = ?", (size, match_id)
                )
        return 1

    def open_matches(self) -> list[MatchOwnership]:
        """Those that are not over, or have no log file. Raises: sqlite3.Error."""
        return open_matches(self._database)

    def claimed(self, match_id: bytes) -> OpenMatch | None:
        """A match of this moment, which a claim has made ours. Raises: sqlite3.Error."""
        return claimed(self._database, match_id)

    def records(self, match_id: bytes) -> list[Record]:
        """A match's records, in order. Raises: sqlite3.Error."""
        return list(read_records(self._database, match_id))

    def finished(self, match_id: bytes) -> list[Record]:
        """The records of a match that is over, with all heads; none if there is no such. Raises:
        sqlite3.Error.
        """
        return run_to_end(self.finished_parts(match_id))

    def finished_parts(self, match_id: bytes) -> Generator[None, None, list[Record]]:
        """Give the same, with a stop after some of them: others may write meanwhile."""
        query = "SELECT 1 FROM matches WHERE match = ? AND seed IS NULL AND exported >= 0"
        found: list[Record] = []
        if not self._database.execute(query, (match_id,)).fetchone():
            return found
        try:
            for record in read_records(self._database, match_id):
                found.append(record)
                if not len(found) % JOURNAL_ROWS:
                    yield
        except sqlite3.DatabaseError:
            if self._database.execute(query, (match_id,)).fetchone():
                raise
            return []  # it was removed meanwhile
        return found if found and found[-1].head else []

    def export(self, match_id: bytes) -> Path:
        """Write a match's log file from what is on disk, and give its path. Raises: sqlite3.Error,
        OSError.
        """
        return run_to_end(self.export_parts(match_id))

    def export_parts(self, match_id: bytes) -> Generator[None, None, Path]:
        """Do the same, with stops: others may write meanwhile."""
        records = map(_whole, read_records(self._database, match_id))
        path = yield from write_log_parts(self._logs, match_id, records)
        self.write([Exported(match_id, path.stat().st_size)])
        yield
        yield from self._tidy(match_id, path)
        return path

    def _write_log(self, match_id: bytes) -> Path:
        return write_log(self._logs, match_id, map(_whole, read_records(self._database, match_id)))

    def _tidy(self, match_id: bytes, path: Path) -> Generator[None, None, None]:
        yield from self._prune(match_id, path)
        # the seed of the match is in the WAL no more
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _prune(self, newest: bytes, file: Path) -> Iterator[None]:
        """Forget the oldest matches that are files now, as far as they are more than is kept; not
        the newest. And the oldest files likewise."""
        size = file.stat().st_size
        for match_id in self._matches.with_newest(newest, size):
            yield from remove_parts(self._database, match_id)
        for path in self._files.with_newest(file, size):
            path.unlink(missing_ok=True)

    # --- between two machines ---

    def stand(self, standing: ReplicationState) -> None:
        """Stand so from now on; durable when it returns. Raises: sqlite3.Error."""
        with self._transaction():
            write_standing(self._database, standing)
        self.standing = standing

    def unused(self) -> bool:
        """Whether no table has ever kept anything here. Raises: sqlite3.Error."""
        return is_unused(self._database)

    def unsent(self) -> list[Transaction]:
        """The transactions that the standby may not have yet. Raises: sqlite3.Error."""
        return [each for each in unsent(self._database) if each.number > self._acknowledged]

    def acknowledged(self, number: int) -> None:
        """The standby has all transactions up to this one: they go with the next one that comes."""
        self._acknowledged = number

    def rows(self) -> Iterator[tuple[str, list[Any]]]:
        """All that a standby begins with: rows, and of which table. Raises: sqlite3.Error."""
        return rows_to_copy(self._database)

    def begin_copy(self) -> None:
        """Take the rows of another journal: nothing of them is here until `end_copy`. Raises:
        sqlite3.Error.
        """
        self._database.execute("BEGIN IMMEDIATE")

    def put_rows(self, table: str, rows: list[list[Any]]) -> None:
        """Some of them. Raises: sqlite3.Error."""
        put_rows(self._database, table, rows)

    def end_copy(self, standing: ReplicationState) -> None:
        """That was all of them. The log files of what they hold are written first: a copy that is
        here has them.

        Raises: sqlite3.Error, OSError, and nothing of the copy stays.
        """
        try:
            write_standing(self._database, standing)
            for (match_id,) in self._database.execute(
                "SELECT match FROM matches WHERE exported > 0"
            ).fetchall():
                self._write_log(match_id)
            self._database.execute("COMMIT")
        finally:
            self.give_up_copy()
        self.standing = standing
        self._look_through()

    def give_up_copy(self) -> None:
        """Of a copy that did not come to its end, nothing stays."""
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")

    def follow(self, transaction: Transaction, standing: ReplicationState) -> None:
        """Make a transaction of the primary's, and stand so with it; durable when it returns.

        Raises: sqlite3.Error, OSError; RemoteError, Diverged, and nothing has changed.
        """
        changes = decode_transaction(transaction.body)
        files = {
            each.match_id: self._write_log(each.match_id)
            for _, each in changes
            if isinstance(each, Exported)
        }
        with self._transaction():
            if read_standing(self._database) != self.standing or [
                self._write(each) for _, each in changes
            ] != [outcome for outcome, _ in changes]:
                raise Diverged
            write_standing(self._database, standing)
        self.standing = standing
        for match_id, path in files.items():
            run_to_end(self._tidy(match_id, path))

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

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
        if isinstance(error, PreviousEntry):
            return LocalError("wrong.journal.earlier", path=str(self.path))
        if isinstance(error, LaterEntry):
            return LocalError("wrong.journal.newer", path=str(self.path))
        if isinstance(error, PermissionError):
            return LocalError("wrong.folder.forbidden", folder=str(self.path.parent))
        damaged = isinstance(error, RemoteError) or (
            isinstance(error, sqlite3.DatabaseError)
            and not isinstance(error, sqlite3.OperationalError)
        )
        if damaged:
            return LocalError("wrong.journal.damaged", path=str(self.path))
        return LocalError("wrong.journal.held", path=str(self.path))


class _Shelf(Generic[T]):
    """What is kept, the oldest first: it is looked through once, so that strangers' many short
    matches slow nobody.
    """

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


def _whole(record: Record) -> Record:
    """Raises: sqlite3.DatabaseError for a record that has no head."""
    if not record.head:
        raise sqlite3.DatabaseError
    return record


def _taken(size: int) -> int:
    """Bytes that a disk has taken by so many: whole blocks."""
    return -(-size // BLOCK) * BLOCK


def _files(folder: Path) -> list[tuple[Path, int]]:
    """The log files, the oldest first, with their sizes."""
    found = [(path, path.stat()) for path in folder.glob(f"*{SUFFIX}")]
    return [
        (path, stat.st_size)
        for path, stat in sorted(found, key=lambda each: (each[1].st_mtime_ns, each[0]))
    ]


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables. Raises: sqlite3.Error, PreviousEntry, LaterEntry."""
    prepare(database)
    prepare_standing(database)
    for statement in (_TABLES, *attestation_rows.SCHEMA.split(";")):
        database.execute(statement)


def _decode_terms(data: bytes) -> Terms:
    values = wire.decode(data)
    if not TERMS(values):
        raise RemoteError(Code.BAD_MESSAGE)
    return decode_terms(values)
