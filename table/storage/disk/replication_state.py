"""The part of a journal that says where it stands between two machines: alone, with a standby, or
as one.

`standing` has one row at most; a journal without it never had to do with a standby. `unsent` holds
the transactions of a primary that its standby has not acknowledged. Both change in the transactions
that they tell of.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.match.log import NO_HASH, Record, chain_position
from table.storage.disk.transactions import Transaction, Write, encode_transaction, follows

_SCHEMA = """
CREATE TABLE IF NOT EXISTS standing (
    role TEXT NOT NULL, standby BLOB NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL, heard INTEGER NOT NULL,
    written INTEGER NOT NULL, peer TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS unsent (number INTEGER PRIMARY KEY, hash BLOB NOT NULL, body BLOB NOT NULL)
"""
COPIED = {  # the tables that make up a table manager's store, with how many columns
    "records": 5,
    "matches": 9,
    "claims": 3,
    "tables": 3,
    "sqlite_sequence": 2,
    "words": 3,
    "ledger": 3,
    "ahead": 1,
}
_NO_TIME = 0


class Role(StrEnum):
    """What a journal is to another machine's."""

    LONE = ""  # nothing
    JOINING = "joining"  # a primary's whose standby may not have the copy yet that it begins with
    PRIMARY = "primary"  # one that must have the answer of its standby
    ALONE = "alone"  # a primary's that was told to go on without
    EMPTY = "empty"  # a standby's that has no copy yet
    STANDBY = "standby"  # a standby's
    LEFT = "left"  # a standby's whose primary has gone on without it
    PROMOTED = "promoted"  # was a standby's, and is a table's now

    @property
    def following(self) -> bool:
        """Whether no table may run over it."""
        return self in (Role.EMPTY, Role.STANDBY, Role.LEFT)

    @property
    def paired(self) -> bool:
        """Whether nothing may be released before a standby has it."""
        return self in (Role.JOINING, Role.PRIMARY)


class ReplicationState(NamedTuple):
    """Where a journal stands."""

    role: Role = Role.LONE
    standby: bytes = b""  # 16 bytes that name the standby of the pair
    number: int = 0  # of the last transaction since the two were paired
    hash: bytes = NO_HASH  # of all of them; at number 0 drawn at random by the primary
    # at a standby: when its primary was heard of last, Unix seconds; alone: see `untold`
    heard: int = _NO_TIME
    written: int = _NO_TIME  # at a standby: when the last transaction came
    peer: str = ""  # where the other is: the standby's HOST:PORT, or the primary's table

    @property
    def place(self) -> tuple[int, bytes]:
        """Number and hash: two journals of a pair at the same place hold the same."""
        return self.number, self.hash

    @property
    def untold(self) -> int:
        """When a table went on alone whose standby could not be told, Unix seconds; 0: it could, or
        none was left.
        """
        return self.heard if self.role is Role.ALONE else _NO_TIME


class Diverged(Exception):
    """What a transaction of the primary did there it does not do here: the two do not hold the
    same.
    """


def prepare_standing(database: sqlite3.Connection) -> None:
    """Make the tables, in a transaction of the caller's. Raises: sqlite3.Error."""
    for statement in _SCHEMA.split(";"):
        database.execute(statement)


def read_standing(database: sqlite3.Connection) -> ReplicationState:
    """Raises: sqlite3.Error, for damage too."""
    found = database.execute("SELECT * FROM standing").fetchone()
    if found is None:
        return ReplicationState()
    try:
        return ReplicationState(Role(found[0]), *found[1:])
    except ValueError:
        raise sqlite3.DatabaseError from None


def write_standing(database: sqlite3.Connection, standing: ReplicationState) -> None:
    """In a transaction of the caller's. Who is no primary keeps no transactions. Raises:
    sqlite3.Error.
    """
    database.execute("DELETE FROM standing")
    database.execute(
        "INSERT INTO standing VALUES (?, ?, ?, ?, ?, ?, ?)", (str(standing.role), *standing[1:])
    )
    if not standing.role.paired:
        database.execute("DELETE FROM unsent")


def keep_for_standby(
    database: sqlite3.Connection, changes: Sequence[tuple[int, Write]], acknowledged: int
) -> ReplicationState | None:
    """Note these for the standby, in the transaction in which they are made; those up to a number
    it has.

    The new standing; None if there is no standby, or nothing has changed. Raises: sqlite3.Error.
    """
    standing, kept = read_standing(database), [each for each in changes if each[0]]
    if not standing.role.paired or not kept:
        return None
    transaction = follows(standing.place, encode_transaction(kept))
    database.execute("DELETE FROM unsent WHERE number <= ?", (acknowledged,))
    database.execute("INSERT INTO unsent VALUES (?, ?, ?)", transaction)
    moved = standing._replace(number=transaction.number, hash=transaction.hash)
    write_standing(database, moved)
    return moved


def unsent(database: sqlite3.Connection) -> list[Transaction]:
    """The transactions that are kept for the standby, in order. Raises: sqlite3.Error."""
    return [Transaction(*row) for row in database.execute("SELECT * FROM unsent ORDER BY number")]


def forget_unsent(database: sqlite3.Connection) -> None:
    """Remove the transactions that are kept for the standby: those that begin matches have their
    seeds. Raises: sqlite3.Error.
    """
    database.execute("DELETE FROM unsent")


def rows_to_copy(database: sqlite3.Connection) -> Iterator[tuple[str, list[Any]]]:
    """Each row that a standby begins with, and of which table. Raises: sqlite3.Error."""
    for table in COPIED:
        query = "SELECT * FROM sqlite_sequence WHERE name = 'tables'"
        if table != "sqlite_sequence":
            query = f"SELECT * FROM {table} ORDER BY rowid"  # noqa: S608
        for row in database.execute(query):
            yield table, list(row)


def finished_rows_to_copy(
    match_id: bytes, size: int, records: Sequence[Record]
) -> Iterator[tuple[str, list[Any]]]:
    """Yield the rows by which a standby gets a match that is over, as a journal of before version 3
    has them. `size`: of its log file.
    """
    hashed = chain_position(record.entry for record in records)[1]
    yield "matches", [match_id, None, size, len(records), hashed, 0, "", "", b""]
    for number, record in enumerate(records):
        yield "records", [match_id, number, *record, None]


def put_rows(database: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Rows of a copy, in a transaction of the caller's. Raises: sqlite3.Error."""
    if table == "sqlite_sequence":
        database.execute("DELETE FROM sqlite_sequence WHERE name = 'tables'")
    marks = ", ".join("?" * COPIED[table])
    database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608


def is_unused(database: sqlite3.Connection) -> bool:
    """Whether no table has ever kept anything in it. Raises: sqlite3.Error."""
    finished = database.execute("SELECT 1 FROM finished").fetchone()
    return finished is None and next(rows_to_copy(database), None) is None
