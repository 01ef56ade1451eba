"""The SQLite file of a person's cards.

Every change is a transaction. A transaction is on disk when it returns (`synchronous=FULL`), and
waits for those of other programs with the same data folder.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from player.cards.storage import FILE as FILE
from player.storage.profile_state import check_profile_here
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_codec import is_outdated, read_content
from protocol.ledger.record_contents import Attestation
from protocol.wire import decode

# limit of the wait for another program's transaction; a transaction takes milliseconds, on a slow
# disk some tenths of a second
WAIT_SECONDS = 10.0
_PAUSE_SECONDS = 0.01  # between two attempts to switch a new file to a write-ahead log
# held while a thread creates the file, so that no other thread of the process opens it meanwhile
_CREATING = threading.Lock()
GIVEN_UP = "given up"  # fact with the number of signatures that are given up
USE = "use"  # fact with the number of times that the store was opened: the clock of `used`
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, raw BLOB NOT NULL, used INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS images (digest BLOB PRIMARY KEY, data BLOB NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS trust (key BLOB PRIMARY KEY, trusted INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS promises (
    number INTEGER PRIMARY KEY AUTOINCREMENT, trade BLOB NOT NULL UNIQUE, content BLOB NOT NULL,
    mine BLOB NOT NULL, theirs BLOB, released INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS places (
    place BLOB NOT NULL, trade BLOB NOT NULL, PRIMARY KEY (place, trade)
);
CREATE TABLE IF NOT EXISTS standings (
    count INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (count, digest)
);
CREATE TABLE IF NOT EXISTS waives (trade BLOB PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS witnesses (fingerprint TEXT PRIMARY KEY, link TEXT, head BLOB);
CREATE TABLE IF NOT EXISTS decks (
    name TEXT PRIMARY KEY, rules TEXT NOT NULL, owned INTEGER NOT NULL, cards BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS rule_sets (
    number INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE, author BLOB NOT NULL,
    name TEXT NOT NULL, revision INTEGER NOT NULL, body BLOB NOT NULL, text BLOB,
    chosen INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS met (
    key BLOB PRIMARY KEY, count INTEGER NOT NULL, digest BLOB NOT NULL, signature BLOB NOT NULL
)
"""
# version of the tables. Before version 2, trades did not list waives: such trades and everything
# that rests on them are dropped when the file is opened
_VERSION = 2
_DROP = """
DROP TABLE IF EXISTS slots;
DROP TABLE IF EXISTS met;
DROP TABLE IF EXISTS promises;
DROP TABLE IF EXISTS waives
"""


class Database:
    """A connection to the file. At most one thread uses it at a time.

    A process may have several connections: SQLite knows of all of them. No other code opens the
    file. When a process closes any descriptor of a file, POSIX drops all locks of that process on
    the file. Then another program takes the file for unused, and deletes the log that SQLite still
    writes to.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises: LocalError if it cannot be opened, or is damaged."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with _CREATING:
                _create(path)
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=WAIT_SECONDS, check_same_thread=False
            )
        except (sqlite3.Error, OSError):
            raise LocalError("wrong.cards.file", path=str(path)) from None
        try:
            self._set_up()
        except (sqlite3.Error, LocalError, RemoteError):
            self.close()
            raise LocalError("wrong.cards.file", path=str(path)) from None

    def _set_up(self) -> None:
        self._use_log()
        self._connection.execute("PRAGMA synchronous = FULL")
        with self.transaction():
            ((version,),) = self.rows("PRAGMA user_version")
            signed = self._drop_old_tables() if version < _VERSION else 0
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)
            if signed:
                self.keep(GIVEN_UP, self.fact(GIVEN_UP, 0) + signed)
            if version < _VERSION:
                self._drop_old_records()
                self._connection.execute(f"PRAGMA user_version = {_VERSION}")

    def _use_log(self) -> None:
        """Switch the file to a write-ahead log.

        SQLite does not wait by itself while another program switches the same new file. Raises:
        sqlite3.Error.
        """
        until = monotonic() + WAIT_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() >= until:
                    raise
                sleep(_PAUSE_SECONDS)
            else:
                return

    def _drop_old_tables(self) -> int:
        """Delete the old journal of signatures, and return the number of them: it stays part of the
        standing.
        """
        there = {name for (name,) in self.rows("SELECT name FROM sqlite_master")}
        signed = 0
        if "promises" in there:
            ((signed,),) = self.rows(
                "SELECT (SELECT count(*) FROM promises) + (SELECT count(*) FROM waives)"
            )
        for statement in _DROP.split(";"):
            self._connection.execute(statement)
        return int(signed)

    def _drop_old_records(self) -> None:
        """Delete the records that cannot be read any more, and those of witnesses about them. The
        cards go back to their creators.
        """
        for number, raw in self.rows("SELECT number, raw FROM records"):
            content = decode(raw)[0]
            if is_outdated(content) or isinstance(read_content(content), Attestation):
                self.run("DELETE FROM records WHERE number = ?", number)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make the changes inside all together or not at all; other programs write before or after.
        Raises: LocalError.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                # also in a program that began before the profile was carried away
                check_profile_here(self.path.parent)
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            raise LocalError("wrong.cards.file", path=str(self.path)) from None

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement, and return the number of changed rows. Raises: LocalError."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error:
            raise LocalError("wrong.cards.file", path=str(self.path)) from None

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises: LocalError."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error:
            raise LocalError("wrong.cards.file", path=str(self.path)) from None

    def fact(self, name: str, default: Any = None) -> Any:
        """Return the value with this name, or `default`. Raises: LocalError."""
        found = self.rows("SELECT value FROM facts WHERE name = ?", name)
        return found[0][0] if found else default

    def keep(self, name: str, value: Any) -> None:
        """Store a value under a name. Raises: LocalError."""
        self.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)

    def forbid_changes(self) -> None:
        """Let this connection read alone. Raises: LocalError at each later change."""
        self.rows("PRAGMA query_only = ON")

    def version(self) -> int:
        """Return a number that differs after another connection has changed the file. Raises:
        LocalError.
        """
        return int(self.rows("PRAGMA data_version")[0][0])

    def close(self) -> None:
        self._connection.close()


def _create(path: Path) -> None:
    """Create the file, readable by its owner alone; an existing file is not opened. Raises:
    OSError.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
