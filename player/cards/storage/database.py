"""The SQLite file of a person's cards.

Every change is a transaction. A transaction is on disk when it returns (`synchronous=FULL`), and
waits for those of other programs with the same data folder.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from protocol.errors import LocalError

FILE = "ledger.sqlite"
# limit of the wait for another program's transaction; a transaction takes milliseconds, on a slow
# disk some tenths of a second
WAIT_SECONDS = 10.0
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
CREATE TABLE IF NOT EXISTS slots (slot BLOB NOT NULL, trade BLOB NOT NULL, PRIMARY KEY (slot, trade));
CREATE TABLE IF NOT EXISTS waives (trade BLOB PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS witnesses (fingerprint TEXT PRIMARY KEY, link TEXT, head BLOB);
CREATE TABLE IF NOT EXISTS decks (
    name TEXT PRIMARY KEY, rules TEXT NOT NULL, owned INTEGER NOT NULL, cards BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS met (key BLOB PRIMARY KEY, count INTEGER NOT NULL, signature BLOB NOT NULL)
"""


class Database:
    """A connection to the file. At most one thread uses it at a time."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises: LocalError if it cannot be opened, or is damaged."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=WAIT_SECONDS, check_same_thread=False
            )
        except (sqlite3.Error, OSError):
            raise LocalError("wrong.cards.file", path=str(path)) from None
        try:
            self._set_up()
        except (sqlite3.Error, LocalError):
            self.close()
            raise LocalError("wrong.cards.file", path=str(path)) from None

    def _set_up(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        with self.transaction():
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make the changes inside all together or not at all; other programs write before or after.
        Raises: LocalError.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
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

    def close(self) -> None:
        self._connection.close()
