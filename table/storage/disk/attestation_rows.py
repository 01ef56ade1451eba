"""The part of the journal that a witness writes: its words, the records they rest on, and what
shows that it forgot.
"""

import sqlite3
from typing import NamedTuple

from table.storage.interface import HeadAhead, NewAttestations

SCHEMA = """
CREATE TABLE IF NOT EXISTS words (position INTEGER PRIMARY KEY, slot BLOB NOT NULL UNIQUE, word BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS ledger (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS ahead (head BLOB NOT NULL)
"""


class SavedAttestations(NamedTuple):
    """What a witness begins with again; see `Kept`."""

    words: tuple[bytes, ...]
    ledger: tuple[bytes, ...]
    ahead: bytes | None


def load_words(database: sqlite3.Connection) -> SavedAttestations:
    """All of it. Raises: sqlite3.Error."""
    words = tuple(row[0] for row in database.execute("SELECT word FROM words ORDER BY position"))
    ledger = tuple(row[0] for row in database.execute("SELECT record FROM ledger ORDER BY number"))
    ahead = database.execute("SELECT head FROM ahead ORDER BY rowid DESC LIMIT 1").fetchone()
    return SavedAttestations(words, ledger, ahead[0] if ahead else None)


def write_words(database: sqlite3.Connection, change: NewAttestations | HeadAhead) -> None:
    """Write one change, in a transaction of the caller's. Raises: sqlite3.Error, also for a slot
    that is there.
    """
    if isinstance(change, HeadAhead):
        database.execute("INSERT INTO ahead VALUES (?)", (change.head,))
        return
    database.executemany("INSERT OR IGNORE INTO ledger (id, record) VALUES (?, ?)", change.records)
    rows = [(position, *word) for position, word in enumerate(change.words, change.first)]
    found = database.execute(
        "SELECT * FROM words WHERE position >= ? ORDER BY position", (change.first,)
    ).fetchall()
    if found[: len(rows)] == rows:
        return  # what is there already stands
    database.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
