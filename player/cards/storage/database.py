"""The one SQLite file of a person's cards. Every change is a transaction, on disk when it returns
(`synchronous=FULL`), and takes its turn with those of other programs on the same data folder."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from protocol.errors import LocalError

FILE = "ledger.sqlite"
# for another program's transaction; they take milliseconds, a slow disk's some tenths of a second
WAIT_SECONDS = 10.0
USE = "use"  # the fact that counts times of use: what was used last has the highest
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
    """One connection. One thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        """Raises: LocalError if it cannot be opened, or is damaged."""
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
        """All that is done inside, or nothing of it; nobody else writes meanwhile. Raises:
        LocalError.
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
        """Change something; how many rows it was. Raises: LocalError."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error:
            raise LocalError("wrong.cards.file", path=str(self.path)) from None

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds. Raises: LocalError."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error:
            raise LocalError("wrong.cards.file", path=str(self.path)) from None

    def fact(self, name: str, default: Any = None) -> Any:
        """One value that is kept under a name."""
        found = self.rows("SELECT value FROM facts WHERE name = ?", name)
        return found[0][0] if found else default

    def keep(self, name: str, value: Any) -> None:
        """Keep a value under a name."""
        self.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
