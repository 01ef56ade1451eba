"""The part of the journal that lists the log files of matches that are over.

Such a match lies in its log file, and nowhere else; its row here says which file that is. `size` is
in bytes, `ended` the Unix time in seconds when the file was written. `size` below 0: the file and
the row are being removed.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

BLOCK = 4096  # bytes; of nearly all file systems
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS finished (number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " match BLOB NOT NULL UNIQUE, file TEXT NOT NULL, size INTEGER NOT NULL, ended INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS finished_files ON finished (file)",
    "CREATE INDEX IF NOT EXISTS leaving ON finished (number) WHERE size < 0",
)
_TAKEN = f"((size + {BLOCK - 1}) / {BLOCK} * {BLOCK})"
_PAGE = 256  # rows that are read at a time


def taken_by(size: int) -> int:
    """Return the bytes that so many take of a disk: whole blocks."""
    return -(-size // BLOCK) * BLOCK


class FinishedMatch(NamedTuple):
    """A match that is over, in its log file."""

    number: int  # in the order in which matches have ended
    match_id: bytes
    file: str
    size: int
    ended: int

    @property
    def taken(self) -> int:
        """Bytes that the file takes of the disk."""
        return taken_by(self.size)


def prepare_finished(database: sqlite3.Connection) -> None:
    """Make the table, in a transaction of the caller's. Raises: sqlite3.Error."""
    for statement in SCHEMA:
        database.execute(statement)


def add_finished(
    database: sqlite3.Connection, match_id: bytes, file: str, size: int, ended: int
) -> None:
    """List a match as the newest. Raises: sqlite3.Error."""
    statement = "INSERT OR REPLACE INTO finished (match, file, size, ended) VALUES (?, ?, ?, ?)"
    database.execute(statement, (match_id, file, size, ended))


def find_finished(database: sqlite3.Connection, match_id: bytes) -> FinishedMatch | None:
    """Return the row of a match. Raises: sqlite3.Error."""
    query = "SELECT * FROM finished WHERE match = ? AND size >= 0"
    row = database.execute(query, (match_id,)).fetchone()
    return None if row is None else FinishedMatch(*row)


def has_file(database: sqlite3.Connection, file: str, other_than: bytes = b"") -> bool:
    """Tell if a match, another than this one, has a file of this name. Raises: sqlite3.Error."""
    query = "SELECT 1 FROM finished WHERE file = ? AND match != ?"
    return database.execute(query, (file, other_than)).fetchone() is not None


def check_names(database: sqlite3.Connection) -> None:
    """Check that all files are names without a folder: they are removed, and put into backups, by
    these names, and a restored journal may be a stranger's. Raises: sqlite3.Error, for damage too.
    """
    query = (
        "SELECT 1 FROM finished WHERE typeof(file) != 'text'"
        " OR file GLOB '*[/\\]*' OR instr(file, char(0)) OR file IN ('', '.', '..')"
    )
    if database.execute(query).fetchone() is not None:
        raise sqlite3.DatabaseError


def finished_total(database: sqlite3.Connection) -> int:
    """Return the bytes that all log files take. Raises: sqlite3.Error."""
    query = f"SELECT ifnull(sum({_TAKEN}), 0) FROM finished WHERE size >= 0"  # noqa: S608
    return int(database.execute(query).fetchone()[0])


def finished_in_order(
    database: sqlite3.Connection, newest_first: bool = False
) -> Iterator[FinishedMatch]:
    """Yield all rows, the oldest first, or the newest. Others may write meanwhile. Raises:
    sqlite3.Error.
    """
    order, beyond = ("DESC", "<") if newest_first else ("ASC", ">")
    query = (
        f"SELECT * FROM finished WHERE number {beyond} ? AND size >= 0"  # noqa: S608
        f" ORDER BY number {order} LIMIT {_PAGE}"
    )
    last = (1 << 62) if newest_first else -1
    while rows := database.execute(query, (last,)).fetchall():
        yield from (FinishedMatch(*row) for row in rows)
        last = rows[-1][0]


def leave(database: sqlite3.Connection, number: int) -> bool:
    """Note that a file and its row are being removed; tell if they were there. Raises:
    sqlite3.Error.
    """
    statement = "UPDATE finished SET size = -1 WHERE number = ? AND size >= 0"
    return database.execute(statement, (number,)).rowcount > 0


def leaving(database: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return numbers and files of those that were not removed to their end. Raises: sqlite3.Error."""
    return database.execute("SELECT number, file FROM finished WHERE size < 0").fetchall()


def forget(database: sqlite3.Connection, number: int) -> None:
    """Remove a row whose file is gone. Raises: sqlite3.Error."""
    database.execute("DELETE FROM finished WHERE number = ?", (number,))


def finished_files(journal: Path) -> list[str]:
    """Return the names of the log files that a copy of a journal lists. Raises: sqlite3.Error."""
    with closing(sqlite3.connect(journal)) as database:
        return [row.file for row in finished_in_order(database)]
