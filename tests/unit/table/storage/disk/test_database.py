"""Locks on a table's database, against other programs and against a second attempt of its own."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from table.storage.disk.database import open_database

pytestmark = pytest.mark.process

BESIDE = """
import sqlite3, sys
sqlite3.connect(sys.argv[1], timeout=0).execute("SELECT * FROM one")
"""


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("CREATE TABLE IF NOT EXISTS one (it INTEGER)")


def test_second_attempt_in_same_process_leaves_lock(tmp_path):
    path = tmp_path / "journal.sqlite"
    with closing(open_database(path, _prepare)):
        with pytest.raises(sqlite3.OperationalError):
            open_database(path, _prepare)
        run = [sys.executable, "-c", BESIDE, str(path)]
        beside = subprocess.run(run, capture_output=True, timeout=60)
        assert beside.returncode == 1
        assert b"database is locked" in beside.stderr
