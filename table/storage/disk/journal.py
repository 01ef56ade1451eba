"""The journal: every entry of every match, on disk before anybody is told of it.

SQLite in WAL mode with synchronous=FULL: a commit returns when the disk has it. The file is locked
for this process alone, so that two table managers cannot write one journal. It is readable by its
owner only: until a match is over it holds the seed of the table's secrets in it.

A match that is over becomes a file, and leaves the journal. The oldest files go when there is more
of them than is kept.

Nothing here waits for an event loop or calls into one: `table.storage.disk.writer` runs it in a thread of
its own.
"""

import logging
import os
import sqlite3
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import JOURNAL_ROWS
from protocol.match.log import Record, chain_position
from protocol.match.log_file import SUFFIX, TruncatedLog
from protocol.match.terms import TERMS, Terms, decode_terms, encode_terms
from table.config import MIB, Bounds
from table.storage.disk import attestation_rows
from table.storage.disk.attestation_rows import load_words, write_words
from table.storage.disk.database import open_database
from table.storage.disk.finished_rows import (
    FinishedMatch,
    add_finished,
    check_names,
    find_finished,
    finished_in_order,
    finished_total,
    forget,
    has_file,
    leave,
    leaving,
    prepare_finished,
    taken_by,
)
from table.storage.disk.log_files import (
    DRAFT,
    read_first_record,
    read_log_parts,
    run_to_end,
    write_log_parts,
)
from table.storage.disk.match_rows import (
    VERSION,
    Claim,
    Cut,
    Exported,
    KeepHeads,
    LaterEntry,
    PreviousEntry,
    Release,
    append,
    begin_removal,
    being_removed,
    claimed,
    cut,
    cut_before,
    cut_by_claim,
    exported_matches,
    is_restored,
    keep_heads,
    mark_restored,
    open_matches,
    prepare,
    read_records,
    remove_parts,
    stop,
    stop_all,
    stopped_matches,
    take,
    unfinished_matches,
)
from table.storage.disk.replication_state import (
    Diverged,
    ReplicationState,
    finished_rows_to_copy,
    forget_unsent,
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

log = logging.getLogger(__name__)

JOURNAL_FILE = "journal.sqlite"
LOGS = "logs"
_ADOPTED = 64  # files of before version 3 that are listed at a time
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
            try:
                for draft in self._logs.glob(f"*{DRAFT}"):
                    draft.unlink()
                self.standing = read_standing(self._database)
                self._look_through()
            except BaseException:
                self._database.close()
                raise
        except (sqlite3.Error, OSError, PreviousEntry, LaterEntry) as error:
            raise self._unusable(error) from None

    def _look_through(self) -> None:
        for match_id in being_removed(self._database):
            run_to_end(remove_parts(self._database, match_id))
        check_names(self._database)
        for number, file in leaving(self._database):
            (self._logs / file).unlink(missing_ok=True)
            forget(self._database, number)
        self.taken = finished_total(self._database)  # bytes of all log files
        if not (self._is_current() or exported_matches(self._database) or _files(self._logs)):
            self._become_current()  # there is nothing of before version 3

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
            stopped = stopped_matches(self._database)
            tables = [
                NewTable(number, _decode_terms(terms), creator) for number, terms, creator in rows
            ]
        except (sqlite3.Error, RemoteError) as error:
            raise self._unusable(error) from None
        return SavedTable(
            tables,
            last[0] if last else 0,
            *signed,
            stopped=frozenset(stopped),
            restored=is_restored(self._database),
        )

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
        """A match's records, in order, whether it runs or is over. Raises: sqlite3.Error, OSError."""
        damage: sqlite3.DatabaseError | None = None
        found: list[Record] = []
        try:
            found = list(read_records(self._database, match_id))
        except sqlite3.DatabaseError as error:
            damage = error
        # asked afterwards: rows of a match that leaves the journal meanwhile are not all of it
        whole = self.finished(match_id)
        if damage is not None and not whole:
            raise damage
        return whole or found

    def finished(self, match_id: bytes) -> list[Record]:
        """The records of a match that is over, with all heads; none if there is no such. Raises:
        sqlite3.Error, OSError, RemoteError, TruncatedLog.
        """
        return run_to_end(self.finished_parts(match_id))

    def finished_parts(self, match_id: bytes) -> Generator[None, None, list[Record]]:
        """Give the same, with a stop after some of them: others may write meanwhile."""
        row = find_finished(self._database, match_id)
        if row is not None:
            return (yield from self._read_file(row))
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
        if not self._database.execute(query, (match_id,)).fetchone():
            # it has left the journal meanwhile
            return (yield from self.finished_parts(match_id))
        return found if found and found[-1].head else []

    def _read_file(self, row: FinishedMatch) -> Generator[None, None, list[Record]]:
        try:
            return (yield from read_log_parts(self._logs / row.file))
        except FileNotFoundError:
            if find_finished(self._database, row.match_id) is not None:
                raise
            return []  # it was removed meanwhile

    def export(self, match_id: bytes) -> Path:
        """Write a match's log file from what is on disk, and give its path. Raises: sqlite3.Error,
        OSError.
        """
        return run_to_end(self.export_parts(match_id))

    def export_parts(self, match_id: bytes) -> Generator[None, None, Path]:
        """Do the same, with stops: others may write meanwhile."""
        path = yield from self._write_log_parts(match_id)
        self.write([Exported(match_id, path.stat().st_size)])
        yield from self._file_away(match_id, path)
        return path

    def _write_log(self, match_id: bytes) -> Path:
        return run_to_end(self._write_log_parts(match_id))

    def _write_log_parts(self, match_id: bytes) -> Generator[None, None, Path]:
        records = map(_whole, read_records(self._database, match_id))
        taken = partial(has_file, self._database, other_than=match_id)
        return (yield from write_log_parts(self._logs, match_id, records, taken))

    def _file_away(self, match_id: bytes, path: Path) -> Generator[None, None, None]:
        """Let a match that is a file leave the journal, and the oldest files go if there is more of
        them than is kept; not the newest.
        """
        found = path.stat()
        before = find_finished(self._database, match_id)
        with self._transaction():
            add_finished(self._database, match_id, path.name, found.st_size, int(found.st_mtime))
            begin_removal(self._database, match_id)
        # not counted anew: strangers' many short matches would be looked through at each end
        self.taken += taken_by(found.st_size) - (0 if before is None else before.taken)
        yield from remove_parts(self._database, match_id)
        for row in finished_in_order(self._database):
            if self.taken <= self._bounds.logs_mib * MIB or row.match_id == match_id:
                break
            self.remove_finished([row])
            yield
        self._empty_wal()

    def _empty_wal(self) -> None:
        """Take the seed of a match that is filed away out of the WAL. While somebody reads, that is
        left to the next match. Raises: sqlite3.Error.
        """
        try:
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_LOCKED:
                raise

    def remove_finished(self, rows: Sequence[FinishedMatch]) -> None:
        """Remove log files. What a crash leaves of them goes at the next start. Raises:
        sqlite3.Error, OSError.
        """
        with self._transaction():
            # some may have gone since they were read: nothing is subtracted twice
            rows = [row for row in rows if leave(self._database, row.number)]
        for row in rows:
            (self._logs / row.file).unlink(missing_ok=True)
            self.taken -= row.taken
        with self._transaction():
            for row in rows:
                forget(self._database, row.number)

    def list_finished(self, rows: Iterable[tuple[bytes, str, int, int]]) -> None:
        """List matches whose log files are there: id, name of the file, bytes, Unix time. Raises:
        sqlite3.Error.
        """
        with self._transaction():
            for row in rows:
                add_finished(self._database, *row)
        self.taken = finished_total(self._database)

    def finished_matches(self) -> Iterator[FinishedMatch]:
        """Yield the matches that are over, the oldest first. Raises: sqlite3.Error."""
        return finished_in_order(self._database)

    def unfinished(self, among: Collection[bytes]) -> list[bytes]:
        """Return those of these matches that are not over, and that no fork has stopped. Raises:
        sqlite3.Error.
        """
        return unfinished_matches(self._database, among)

    def forked(self) -> list[bytes]:
        """Return the matches that nobody may go on with. Raises: sqlite3.Error."""
        return stopped_matches(self._database)

    def remove_unfinished(self, match_id: bytes) -> Generator[None, None, None]:
        """Remove a match that is not over; nobody can go on with it then. Raises: sqlite3.Error."""
        yield from remove_parts(self._database, match_id)

    def pack_parts(self) -> Generator[None, None, None]:
        """Let matches leave the journal that are over and have a file: of before version 3, or of
        before a crash. List files of before version 3.

        Raises: sqlite3.Error, OSError.
        """
        for match_id in exported_matches(self._database):
            try:
                path = yield from self._write_log_parts(match_id)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                log.error("match %s: its records are damaged, and stay", match_id.hex()[:8])
                continue
            yield from self._file_away(match_id, path)
        if self._is_current():
            return
        for place, path in enumerate(_files(self._logs)):
            if not has_file(self._database, path.name):
                self._adopt(path)
            if not place % _ADOPTED:
                yield
        self.taken = finished_total(self._database)
        self._become_current()

    def _is_current(self) -> bool:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        return bool(version >= VERSION)

    def _become_current(self) -> None:
        self._database.execute(f"PRAGMA user_version = {VERSION}")

    def _adopt(self, path: Path) -> None:
        """List a file that no match is known to have; one that is no log stays, and counts for
        nothing.
        """
        try:
            record = read_first_record(path)
        except (OSError, RemoteError, TruncatedLog):
            return
        _, match_id = chain_position([record.entry])
        found = path.stat()
        if find_finished(self._database, match_id) is None:
            add_finished(self._database, match_id, path.name, found.st_size, int(found.st_mtime))

    def snapshot(self, path: Path) -> None:
        """Copy the journal as it is now into a new file, in which all running matches are stopped.

        So the copy has no secrets of them, and whoever puts it back signs nothing twice. Raises:
        sqlite3.Error, OSError.
        """
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(path, isolation_level=None)) as copy:
            self._database.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # all in one file
            copy.execute("PRAGMA secure_delete = ON")
            stop_all(copy)
            forget_unsent(copy)

    def begin_again(self) -> int:
        """Make an older copy of a journal one that a table may run over; return how many matches
        are stopped.

        The table may have signed more in each match that is not over. So nobody goes on with it,
        as after a fork. Files that the copy lacks are not listed. Raises: sqlite3.Error.
        """
        lacking = [
            row.number for row in self.finished_matches() if not (self._logs / row.file).exists()
        ]
        with self._transaction():
            stop_all(self._database)
            mark_restored(self._database)
            for number in lacking:
                forget(self._database, number)
        return len(self.forked())

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
        """All that a standby begins with: rows, and of which table. Of the matches that are over
        these are the newest, as many as `journal_mib` allows. Raises: sqlite3.Error, OSError.
        """
        for match_id in being_removed(self._database):
            run_to_end(remove_parts(self._database, match_id))
        yield from rows_to_copy(self._database)
        size = 0
        copied: list[FinishedMatch] = []
        for row in finished_in_order(self._database, newest_first=True):
            size += row.taken
            if copied and size > self._bounds.journal_mib * MIB:
                break
            copied.append(row)
        for row in reversed(copied):
            try:
                records = self.finished(row.match_id)
            except (OSError, RemoteError, TruncatedLog):
                log.warning("%s cannot be read: the standby does not get it", row.file)
                continue
            yield from finished_rows_to_copy(row.match_id, row.size, records)

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
            files = {
                match_id: self._write_log(match_id) for match_id in exported_matches(self._database)
            }
            self._database.execute("COMMIT")
        finally:
            self.give_up_copy()
        self.standing = standing
        for match_id, path in files.items():
            run_to_end(self._file_away(match_id, path))

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
            run_to_end(self._file_away(match_id, path))

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


def _whole(record: Record) -> Record:
    """Raises: sqlite3.DatabaseError for a record that has no head."""
    if not record.head:
        raise sqlite3.DatabaseError
    return record


def _files(folder: Path) -> list[Path]:
    """The log files, the oldest first."""
    found = [(path.stat().st_mtime_ns, path) for path in folder.glob(f"*{SUFFIX}")]
    return [path for _, path in sorted(found)]


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables. Raises: sqlite3.Error, PreviousEntry, LaterEntry."""
    prepare(database)
    prepare_standing(database)
    prepare_finished(database)
    for statement in (_TABLES, *attestation_rows.SCHEMA.split(";")):
        database.execute(statement)


def _decode_terms(data: bytes) -> Terms:
    values = wire.decode(data)
    if not TERMS(values):
        raise RemoteError(Code.BAD_MESSAGE)
    return decode_terms(values)
