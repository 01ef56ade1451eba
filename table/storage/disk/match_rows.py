"""The part of the journal that holds matches: logs that are appended to on conditions, claims, and
sealed seeds.

A row of `matches` says where a log ends (`next`, `hash`) and whose it is (`claim`): an append
changes it, and only if it finds it as expected, in the transaction in which the entries come. So
what comes too late changes nothing.

`head` of a record holds the heads, one behind another, that were signed since the record before was
stored: those of records before it. Read in order they are the heads from entry 0 on; the last ones
lie in `matches`. Journals of before have in each record its own head, which reads the same.

`stamps` of a record holds outcomes that were stored with it, of records before it; see
`table.match.stored_outcomes`. Journals of version 1 have none.

`claims` has the ids of all claims of a match that are known here, and the number that each has in
`matches`; 0: it is known from a player only.

`seed` is NULL once the match is over, and empty when it has stopped: then it is nobody's.

A match that is over leaves all of this for its log file (`table.storage.disk.finished_rows`).
Before version 3 it stayed here as well.
"""

import sqlite3
from collections.abc import Collection, Generator, Iterator
from itertools import chain, zip_longest
from typing import NamedTuple

from protocol import wire
from protocol.errors import RemoteError
from protocol.identity.keys import SIGNATURE_SIZE
from protocol.limits import JOURNAL_ROWS
from protocol.match.log import Record, chain_position
from table.storage.interface import (
    STAMPS,
    MatchOwnership,
    MatchStopped,
    NewRecords,
    OpenMatch,
    Stamps,
    hash_after,
    stamps_by_number,
)

# of the file (`user_version`); 0: without conditions, and with seeds that are not sealed
VERSION = 3
_FIRST = """
CREATE TABLE IF NOT EXISTS records (
    match BLOB NOT NULL, number INTEGER NOT NULL, entry BLOB NOT NULL, head BLOB NOT NULL,
    PRIMARY KEY (match, number)
);
CREATE TABLE IF NOT EXISTS matches (match BLOB PRIMARY KEY, seed BLOB, exported INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS exported ON matches (exported);
CREATE TABLE IF NOT EXISTS claims (match BLOB NOT NULL, id BLOB NOT NULL, number INTEGER NOT NULL, UNIQUE (match, id))
"""
_VERSION_1 = 1
_VERSION_2 = 2
_COLUMNS = {  # that came with version 1
    "next": "INTEGER NOT NULL DEFAULT 0",
    "hash": "BLOB NOT NULL DEFAULT x''",
    "claim": "INTEGER NOT NULL DEFAULT 0",
    "owner": "TEXT NOT NULL DEFAULT ''",
    "rules": "TEXT NOT NULL DEFAULT ''",
    "heads": "BLOB NOT NULL DEFAULT x''",  # the last ones, once the match is over
}


_PAGE = "FROM records WHERE match = ? AND number > ? ORDER BY number LIMIT ?"
_COLUMN = {
    "entry": f"SELECT number, entry {_PAGE}",
    "head": f"SELECT number, head {_PAGE}",
    "stamps": f"SELECT number, CAST(stamps AS BLOB) {_PAGE}",
}
_OPEN = "exported = 0 AND seed IS NOT x''"


class PreviousEntry(Exception):
    """The journal is of before version 1, and matches run in it: their seeds are not sealed, their
    ends not known.
    """


class LaterEntry(Exception):
    """The journal is of a version after VERSION."""


class Claim(NamedTuple):
    """Somebody goes on with a match; every earlier owner's next append fails."""

    match_id: bytes
    # as in `NewClaim`
    id: bytes = b""
    known: tuple[bytes, ...] = ()
    owned: int = 0
    keep: int | None = None


class Release(NamedTuple):
    """Its owner gives up a match for another."""

    match_id: bytes
    claim: int
    successor: str


class Cut(NamedTuple):
    """Of a match the last entries are gone, and others come in their place: it ends here."""

    match_id: bytes
    number: int  # of entries that are left
    hash: bytes  # after these


class KeepHeads(NamedTuple):
    """The last heads of a match that is over, as far as they are not stored."""

    match_id: bytes
    heads: tuple[bytes, ...]


class Exported(NamedTuple):
    """The log file of a match that is over is written."""

    match_id: bytes
    size: int  # bytes of the file


def prepare(database: sqlite3.Connection) -> None:
    """Make the tables, in a transaction of the caller's. Raises: sqlite3.Error,
    PreviousEntry, LaterEntry.
    """
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise LaterEntry
    for statement in _FIRST.split(";"):
        database.execute(statement)
    if version >= _VERSION_2:
        return
    if version < _VERSION_1:
        if database.execute("SELECT 1 FROM matches WHERE seed IS NOT NULL").fetchone():
            raise PreviousEntry
        for name, kind in _COLUMNS.items():
            database.execute(f"ALTER TABLE matches ADD COLUMN {name} {kind}")
    database.execute("ALTER TABLE records ADD COLUMN stamps BLOB")  # that came with version 2
    database.execute(f"PRAGMA user_version = {_VERSION_2}")


def append(database: sqlite3.Connection, new: NewRecords) -> bool:
    """Put records behind what they follow, in a transaction of the caller's; False, and nothing, if
    it is not the end.

    What is there already, as when the disk's answer to the first attempt was lost, stands. Raises:
    sqlite3.Error.
    """
    after = new.first + len(new.entries), hash_after(new)
    if not _move(database, new, after):
        return _stands(database, new, after)
    heads = [b"".join(new.heads), *[b""] * (len(new.entries) - 1)]
    stamps = [_encode_stamps(new.stamps), *[None] * (len(new.entries) - 1)]
    rows = [
        (new.match_id, new.first + place, *row)
        for place, row in enumerate(zip(new.entries, heads, stamps, strict=True))
    ]
    database.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", rows)
    if new.over:
        database.execute("UPDATE matches SET seed = NULL WHERE match = ?", (new.match_id,))
    return True


def _stands(database: sqlite3.Connection, new: NewRecords, after: tuple[int, bytes]) -> bool:
    """Whether the log ends with these records already, and has them: what is only counted may have
    been lost.
    """
    query = (
        "SELECT 1 FROM matches NATURAL JOIN records"
        " WHERE match = ? AND claim = ? AND next = ? AND hash = ? AND number = next - 1"
    )
    return database.execute(query, (new.match_id, new.claim, *after)).fetchone() is not None


def cut_before(database: sqlite3.Connection, new: NewRecords) -> Cut | None:
    """What must be cut away for these records to stand, if the match counts more than it has, and
    has what they follow.

    Raises: sqlite3.Error.
    """
    query = "SELECT 1 FROM matches WHERE match = ? AND claim = ? AND next > ?"
    if (
        new.begin is not None
        or not database.execute(query, (new.match_id, new.claim, new.first)).fetchone()
    ):
        return None
    entries = database.execute(
        "SELECT entry FROM records WHERE match = ? ORDER BY number", (new.match_id,)
    )
    last = chain_position(entry for (entry,) in entries)
    return (
        Cut(new.match_id, new.first, new.follows) if last == (new.first - 1, new.follows) else None
    )


def cut_by_claim(database: sqlite3.Connection, change: Claim) -> Cut | None:
    """Return what a claim drops of a match that runs. Raises: sqlite3.Error."""
    query = "SELECT 1 FROM matches WHERE match = ? AND claim = ? AND next > ? AND seed IS NOT NULL"
    place = change.match_id, change.owned, change.keep
    if change.keep is None or not database.execute(query, place).fetchone():
        return None
    entries = database.execute(
        "SELECT entry FROM records WHERE match = ? AND number < ? ORDER BY number",
        (change.match_id, change.keep),
    ).fetchall()
    number, hashed = chain_position(entry for (entry,) in entries)
    return Cut(change.match_id, change.keep, hashed) if number == change.keep - 1 else None


def cut(database: sqlite3.Connection, change: Cut) -> None:
    """Let a match end earlier, in a transaction of the caller's: a standby may still have what is
    gone at the primary.

    Raises: sqlite3.Error.
    """
    database.execute(
        "DELETE FROM records WHERE match = ? AND number >= ?", (change.match_id, change.number)
    )
    statement = "UPDATE matches SET next = ?, hash = ? WHERE match = ?"
    database.execute(statement, (change.number, change.hash, change.match_id))


def _move(database: sqlite3.Connection, new: NewRecords, after: tuple[int, bytes]) -> bool:
    """Whether the end of the log was where these records expect it, and is behind them now."""
    if new.begin is not None:
        statement = (
            "INSERT OR IGNORE INTO matches (match, seed, rules, next, hash) VALUES (?, ?, ?, ?, ?)"
        )
        return database.execute(statement, (new.match_id, *new.begin, *after)).rowcount == 1
    statement = (
        "UPDATE matches SET next = ?, hash = ? WHERE match = ? AND next = ? AND hash = ? AND "
        "claim = ?"
    )
    follows = new.match_id, new.first, new.follows, new.claim
    return database.execute(statement, (*after, *follows)).rowcount == 1


def take(database: sqlite3.Connection, change: Claim | Release) -> int:
    """Change whose a match is, in a transaction of the caller's; the number of the claim, 0 if it
    cannot be had.

    A release of what is not ours any more is none, and stands. Raises: sqlite3.Error.
    """
    if isinstance(change, Claim):
        statement = f"UPDATE matches SET claim = claim + 1, owner = '' WHERE match = ? AND {_OPEN}"  # noqa: S608
        if database.execute(statement, (change.match_id,)).rowcount == 0:
            return 0
        (claim,) = database.execute(
            "SELECT claim FROM matches WHERE match = ?", (change.match_id,)
        ).fetchone()
        rows = [(change.match_id, known, 0) for known in change.known]
        if change.id:
            rows.append((change.match_id, change.id, claim))
        database.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", rows)
        return int(claim)
    statement = "UPDATE matches SET claim = claim + 1, owner = ? WHERE match = ? AND claim = ?"
    database.execute(statement, (change.successor, change.match_id, change.claim))
    return 1


def stop(database: sqlite3.Connection, change: MatchStopped) -> bool:
    """Make a match nobody's, in a transaction of the caller's; False if another has it. Raises:
    sqlite3.Error.
    """
    statement = (
        "UPDATE matches SET seed = x'', claim = claim + 1 "  # noqa: S608
        f"WHERE match = ? AND claim = ? AND {_OPEN}"
    )
    return database.execute(statement, change).rowcount == 1


def open_matches(database: sqlite3.Connection) -> list[MatchOwnership]:
    """Those that are not over, or have no log file. Raises: sqlite3.Error."""
    query = (
        f"SELECT match, claim, owner, rules, seed IS NULL FROM matches WHERE {_OPEN} ORDER BY rowid"  # noqa: S608
    )
    rows = database.execute(query)
    return [
        MatchOwnership(match_id, claim, owner, rules, bool(over))
        for match_id, claim, owner, rules, over in rows
    ]


def claimed(database: sqlite3.Connection, match_id: bytes) -> OpenMatch | None:
    """A match as it is. What it counts beyond its records stays counted until others come in their
    place (`Cut`): a read changes nothing, and who reads it again is told so again.

    Raises: sqlite3.Error.
    """
    found = database.execute(
        "SELECT claim, seed, next FROM matches WHERE match = ?", (match_id,)
    ).fetchone()
    if found is None:
        return None
    claim, seed, number = found
    records = list(read_records(database, match_id))
    query = "SELECT id, number FROM claims WHERE match = ?"
    claims = dict(database.execute(query, (match_id,)).fetchall())
    newest = next((each for each, made in claims.items() if made == claim), b"")
    stamps = stamps_by_number(_read_stamps(database, match_id), len(records)) if seed else ()
    counted = number if number > len(records) else 0
    return OpenMatch(
        match_id,
        claim,
        seed or b"",
        records,
        counted,
        id=newest,
        known=frozenset(claims),
        stamps=stamps,
    )


def _encode_stamps(stamps: Stamps) -> bytes | None:
    return wire.encode([stamps.first, list(stamps.stamps)]) if stamps.stamps else None


def _read_stamps(database: sqlite3.Connection, match_id: bytes) -> Iterator[Stamps]:
    """The stored outcomes in order. What cannot be read is none: nothing is promised of them."""
    for data in _column(database, match_id, "stamps"):
        if data is None:
            continue
        try:
            value = wire.decode(data)
        except RemoteError:
            continue
        if STAMPS(value):
            yield Stamps(value[0], tuple(value[1]))


def read_records(database: sqlite3.Connection, match_id: bytes) -> Iterator[Record]:
    """A match's records in order, the last ones perhaps without heads. Raises: sqlite3.Error, for
    damage too.
    """
    entries = _column(database, match_id, "entry")
    for entry, head in zip_longest(entries, _heads(database, match_id), fillvalue=b""):
        if not entry:
            raise sqlite3.DatabaseError
        yield Record(entry, head)


def _heads(database: sqlite3.Connection, match_id: bytes) -> Iterator[bytes]:
    last = "SELECT heads FROM matches WHERE match = ?"
    for heads in chain(
        _column(database, match_id, "head"),
        (row[0] for row in database.execute(last, (match_id,)).fetchall()),
    ):
        yield from (heads[at : at + SIGNATURE_SIZE] for at in range(0, len(heads), SIGNATURE_SIZE))


def _column(database: sqlite3.Connection, match_id: bytes, name: str) -> Iterator[bytes]:
    """A column of a match's rows, in order. Nothing is open in between: others may write."""
    rows: list[tuple[int, bytes]] = [(-1, b"")]
    while rows := database.execute(_COLUMN[name], (match_id, rows[-1][0], JOURNAL_ROWS)).fetchall():
        yield from (value for _, value in rows)


def begin_removal(database: sqlite3.Connection, match_id: bytes) -> None:
    """Note that a match is being removed: nobody reads it from here any more. Raises: sqlite3.Error."""
    database.execute("UPDATE matches SET exported = -1 WHERE match = ?", (match_id,))


def remove_parts(database: sqlite3.Connection, match_id: bytes) -> Generator[None, None, None]:
    """Delete a match that is a file, a few rows in a transaction. Whatever is left after a crash is
    found by `being_removed`.

    Raises: sqlite3.Error.
    """
    begin_removal(database, match_id)
    rows = (
        "DELETE FROM records WHERE match = ? AND number IN"
        " (SELECT number FROM records WHERE match = ? LIMIT ?)"
    )
    while database.execute(rows, (match_id, match_id, JOURNAL_ROWS)).rowcount > 0:
        yield
    database.execute("DELETE FROM claims WHERE match = ?", (match_id,))
    database.execute("DELETE FROM matches WHERE match = ?", (match_id,))


def exported_matches(database: sqlite3.Connection) -> list[bytes]:
    """The matches that have a log file and lie here as well, the oldest first. Raises:
    sqlite3.Error.
    """
    query = "SELECT match FROM matches WHERE exported > 0 ORDER BY rowid"
    return [row[0] for row in database.execute(query)]


def stopped_matches(database: sqlite3.Connection) -> list[bytes]:
    """The matches that nobody goes on with, the oldest first. Raises: sqlite3.Error."""
    query = "SELECT match FROM matches WHERE exported = 0 AND seed = x'' ORDER BY rowid"
    return [row[0] for row in database.execute(query)]


def unfinished_matches(database: sqlite3.Connection, among: Collection[bytes]) -> list[bytes]:
    """Return those of these matches that are not over and have not been stopped for good. Raises:
    sqlite3.Error.
    """
    query = "SELECT 1 FROM matches WHERE match = ? AND exported = 0 AND length(seed) > 0"
    return [each for each in sorted(among) if database.execute(query, (each,)).fetchone()]


def stop_all(database: sqlite3.Connection) -> int:
    """Stop all matches that are not over, in a transaction of the caller's; return how many. Raises:
    sqlite3.Error.
    """
    statement = (
        "UPDATE matches SET seed = x'', claim = claim + 1 WHERE exported = 0 AND length(seed) > 0"
    )
    return database.execute(statement).rowcount


def mark_restored(database: sqlite3.Connection) -> None:
    """Note that this was an older copy, and that numbers of tables may have been given since.
    Raises: sqlite3.Error.
    """
    database.execute("CREATE TABLE IF NOT EXISTS restored (copies INTEGER NOT NULL)")
    database.execute("INSERT INTO restored VALUES (1)")


def is_restored(database: sqlite3.Connection) -> bool:
    """Tell if this was once an older copy. Raises: sqlite3.Error."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'restored'"
    return database.execute(query).fetchone() is not None


def being_removed(database: sqlite3.Connection) -> list[bytes]:
    """The matches that were not deleted to their end. Raises: sqlite3.Error."""
    return [row[0] for row in database.execute("SELECT match FROM matches WHERE exported < 0")]


def keep_heads(database: sqlite3.Connection, change: KeepHeads) -> None:
    """Put the last heads of a match beside it, in a transaction of the caller's. Raises:
    sqlite3.Error.
    """
    statement = "UPDATE matches SET heads = ? WHERE match = ? AND seed IS NULL AND heads = x''"
    database.execute(statement, (b"".join(change.heads), change.match_id))
