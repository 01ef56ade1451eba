"""What a signer remembers, on disk before a signature leaves: of each match the highest number and
its hash, for ever.

    head n        the hash that was signed for it, again; or the next number after the highest (the first: number 0,
                  whose hash is the match id). Nothing else.
    own entry     behind the highest head only: at most one content for each number. Whoever asks with another gets
                  the one that was signed: a host that crashed before it could store it goes on with the same bytes.
                  Once the next head is signed, over whatever entry, what was signed there can stand nowhere.
    refusal       at a head that was signed.

Hashes below the highest are remembered of the matches that began last (`SIGNER_RECALLS`), so that a
host can have the heads again that it lost with another; of older ones the last (`SIGNER_TAIL`): a
store that was asked before a crash lacks no more.

SQLite in WAL mode with synchronous=FULL, locked for this process alone: two signers cannot write
one book.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from protocol.dealing import TABLE
from protocol.errors import LocalError, Refused
from protocol.identity.keys import SIGNATURE_SIZE
from protocol.limits import SIGNER_RECALLS, SIGNER_TAIL
from protocol.match.log import NO_HASH, Entry, decode_entry, encode_entry
from protocol.match.setup import KIND
from table.signer.requests import ENTRY, HEAD, REFUSED, Request
from table.signer.signer import Denied
from table.storage.disk.database import open_database

BOOK_FILE = "signed.sqlite"
_TIDY_EVERY = 256  # matches
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS matches (id INTEGER PRIMARY KEY AUTOINCREMENT, match BLOB NOT "
    "NULL UNIQUE,"
    " number INTEGER NOT NULL, hash BLOB NOT NULL, own BLOB)",
    "CREATE TABLE IF NOT EXISTS hashes (id INTEGER, number INTEGER, hash BLOB NOT NULL, "
    "PRIMARY KEY (id, number))"
    " WITHOUT ROWID",
)


class _HighestSigned(NamedTuple):
    id: int
    number: int
    hash: bytes
    own: bytes | None  # the content of the table's entry that was signed behind it


class SignState:
    """The marks in a folder. One thread at a time may use it."""

    def __init__(self, data: Path, adopt: bool = False, recalls: int = SIGNER_RECALLS) -> None:
        """`adopt`: go on with matches of which more was signed than is known here; `recalls`: see
        `SIGNER_RECALLS`.

        Raises: LocalError if it cannot be opened, or another process has it.
        """
        self._adopt, self._recalls = adopt, recalls
        path = data / BOOK_FILE
        try:
            data.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._database = open_database(path, _prepare)
            self._newest: int = self._database.execute(
                "SELECT ifnull(max(id), 0) FROM matches"
            ).fetchone()[0]
        except (sqlite3.Error, OSError) as error:
            raise LocalError("wrong.signer.book", path=str(path), why=str(error)) from None

    @property
    def synced(self) -> bool:
        """Whether what is written is on disk when `judge` returns."""
        modes = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        )
        return tuple(modes) == ("wal", 2)  # FULL

    def judge(self, requests: Iterable[Request]) -> list[Request | Denied]:
        """What is to be signed of these, in this order, or why not; on disk when it returns.
        Raises: sqlite3.Error.
        """
        with self._transaction():
            return [self._judge(request) for request in requests]

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _judge(self, request: Request) -> Request | Denied:
        match request:
            case Request(purpose, (bytes(match_id), int(number), bytes(hashed))) if purpose == HEAD:
                return self._head(match_id, number, hashed) or request
            case Request(purpose, (bytes(match_id), bytes(content))) if purpose == ENTRY:
                return self._own(match_id, content)
            case Request(purpose, (bytes(match_id), _, int(number), bytes(hashed), _)) if (
                purpose == REFUSED
            ):
                mark = self._mark(match_id)
                return (
                    Denied.UNKNOWN
                    if mark is None
                    else self._recall(mark, number, hashed) or request
                )
        return request  # there is nothing to remember

    def _head(self, match_id: bytes, number: int, hashed: bytes) -> Denied | None:
        mark = self._mark(match_id)
        if (number == 0) is not (hashed == match_id):
            return Denied.FORK
        if mark is None:
            return (
                self._begin(match_id, number, hashed)
                if number == 0 or self._adopt
                else Denied.UNKNOWN
            )
        if number <= mark.number:
            return self._recall(mark, number, hashed)
        if number > mark.number + 1 and not self._adopt:
            return Denied.GAP
        self._database.execute(
            "UPDATE matches SET number = ?, hash = ?, own = NULL WHERE id = ?",
            (number, hashed, mark.id),
        )
        self._database.execute("INSERT INTO hashes VALUES (?, ?, ?)", (mark.id, number, hashed))
        if mark.id <= self._newest - self._recalls:
            self._tidy(mark.id, mark.id)
        return None

    def _begin(self, match_id: bytes, number: int, hashed: bytes) -> Denied | None:
        row = "INSERT INTO matches (match, number, hash) VALUES (?, ?, ?)"
        named = self._database.execute(row, (match_id, number, hashed)).lastrowid or 0
        self._database.execute("INSERT INTO hashes VALUES (?, ?, ?)", (named, number, hashed))
        self._newest, every = named, min(_TIDY_EVERY, self._recalls)
        if named % every == 0:
            self._tidy(named - self._recalls - every + 1, named - self._recalls)
        return None

    def _tidy(self, first: int, last: int) -> None:
        """Of these matches only the last hashes are still needed."""
        number = "(SELECT number FROM matches WHERE matches.id = hashes.id)"
        query = f"DELETE FROM hashes WHERE id BETWEEN ? AND ? AND number <= {number} - ?"  # noqa: S608
        self._database.execute(query, (first, last, SIGNER_TAIL))

    def _recall(self, mark: _HighestSigned, number: int, hashed: bytes) -> Denied | None:
        """Whether this was signed."""
        if number > mark.number:
            return Denied.GAP
        found = self._database.execute(
            "SELECT hash FROM hashes WHERE id = ? AND number = ?", (mark.id, number)
        )
        known = mark.hash if number == mark.number else next((row[0] for row in found), None)
        if known is None:
            return Denied.FORGOTTEN
        return None if known == hashed else Denied.FORK

    def _own(self, match_id: bytes, content: bytes) -> Request | Denied:
        entry = _entry(content)
        if entry is None or entry.author != TABLE:
            return Denied.MALFORMED
        # which match it is, follows from what is signed: there is nothing to remember yet
        if match_id == NO_HASH:
            first = (entry.sequence, entry.seen_number, entry.seen_hash, entry.kind) == (
                0,
                0,
                NO_HASH,
                KIND,
            )
            return Request(ENTRY, (match_id, content)) if first else Denied.MALFORMED
        mark = self._mark(match_id)
        if mark is None:
            return Denied.UNKNOWN
        wrong = self._recall(mark, entry.seen_number, entry.seen_hash)
        if wrong is not None or entry.seen_number < mark.number:
            return wrong or Denied.BEHIND
        if mark.own is None:
            self._database.execute("UPDATE matches SET own = ? WHERE id = ?", (content, mark.id))
        return Request(ENTRY, (match_id, mark.own or content))

    def _mark(self, match_id: bytes) -> _HighestSigned | None:
        query = "SELECT id, number, hash, own FROM matches WHERE match = ?"
        row = self._database.execute(query, (match_id,)).fetchone()
        return None if row is None else _HighestSigned(*row)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise


def _entry(content: bytes) -> Entry | None:
    """An entry of this content, if there can be one."""
    try:
        return decode_entry(encode_entry(content, bytes(SIGNATURE_SIZE)))
    except Refused:
        return None


def _prepare(database: sqlite3.Connection) -> None:
    for statement in _SCHEMA:
        database.execute(statement)
