"""SQLite databases that keep what was said to be there: for one process, readable by its owner
alone.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path


def open_database(path: Path, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open it, locked for this process alone: whatever is committed is on disk, in WAL mode with
    synchronous=FULL.

    `prepare` makes the tables, in a transaction. Raises: sqlite3.Error (another process has it, or
    it is damaged), OSError, and what `prepare` raises.
    """
    _make_private(path)
    database = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        # locked before WAL, so that its index lives in our memory and the lock is held from the
        # first write on; what is deleted is overwritten
        for pragma in (
            "locking_mode = EXCLUSIVE",
            "journal_mode = WAL",
            "synchronous = FULL",
            "secure_delete = ON",
        ):
            database.execute(f"PRAGMA {pragma}")
        database.execute("BEGIN EXCLUSIVE")
        prepare(database)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _make_private(path: Path) -> None:
    """The file, readable by its owner only; SQLite gives its other files the same permissions.

    Raises: sqlite3.DatabaseError for an empty file beside a WAL: SQLite would take it for new, and
    throw the WAL away.
    """
    # an existing file is not opened: closing it would drop the locks that this process has on it
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        path.chmod(0o600)
    wal = path.with_name(f"{path.name}-wal")
    if not path.stat().st_size and wal.exists() and wal.stat().st_size:
        raise sqlite3.DatabaseError
