"""Backups in a folder: which are kept, and which files are left alone."""

import json
import tarfile
from contextlib import closing

import pytest

from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from table.control.backup_folder import new_backup, remove_old_backups, table_letters
from table.control.command import main
from table.storage.disk.journal import Journal
from table.storage.disk.keys import keep_link
from tests.support.errors import raises_text

WHOSE = fingerprint(bytes(32))
OTHER = fingerprint(bytes(31) + b"x")
DAY = 86_400


@pytest.fixture
def data(tmp_path):
    """Return the folder of a table that has run."""
    with closing(Journal(tmp_path / "table")):
        keep_link(tmp_path / "table", f"fairdeal://table.example:7500/{WHOSE}")
    return tmp_path / "table"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def back_up(data, target, *words):
    return main(["backup", str(target), "--data", str(data), *words])


def made(folder, whole, day, letters=WHOSE[:16]):
    """Put a copy of a backup into the folder as if it was made on a day."""
    path = new_backup(folder, letters, day * DAY)
    path.write_bytes(whole)
    return path


def test_backup_in_folder_removes_only_oldest_complete_ones(data, folder, tmp_path, capsys):
    assert back_up(data, tmp_path / "one") == 0
    whole = (tmp_path / "one").read_bytes()
    mine = [made(folder, whole, day) for day in (3, 1, 2)]
    kept = [made(folder, whole, 1, OTHER[:16])]  # of another table
    kept.append(made(folder, whole[: len(whole) // 2], 0))  # not whole
    kept.append(folder / "before the upgrade.backup")
    kept[-1].write_bytes(whole)
    kept.append(new_backup(folder, WHOSE[:16], 4 * DAY))
    kept[-1].symlink_to(tmp_path / "one")
    (before := {*kept, *mine}).difference_update({mine[1], mine[2]})
    capsys.readouterr()
    assert back_up(data, folder, "--keep", "2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["removed"] == [str(mine[1]), str(mine[2])]
    assert {str(path) for path in folder.iterdir()} == {told["file"], *map(str, before)}
    with tarfile.open(told["file"]) as archive:
        assert archive.getnames()[0] == "journal.sqlite"


def test_backup_that_fails_removes_no_older_one(data, folder, tmp_path, capsys):
    assert back_up(data, tmp_path / "one") == 0
    for day in (1, 2, 3):
        made(folder, (tmp_path / "one").read_bytes(), day)
    (data / "bans").mkdir()  # cannot be read
    assert back_up(data, folder, "--keep", "1") == 1
    assert len(list(folder.iterdir())) == 3


def test_backup_without_keep_removes_nothing(data, folder, tmp_path, capsys):
    assert back_up(data, tmp_path / "one") == 0
    made(folder, (tmp_path / "one").read_bytes(), 1)
    assert back_up(data, folder) == 0
    assert len(list(folder.iterdir())) == 2


def test_folder_without_link_names_no_backup(tmp_path):
    with raises_text(LocalError, "Start the table once"):
        table_letters(tmp_path)
    keep_link(tmp_path, "fairdeal://table.example:7500")
    with raises_text(LocalError, "Start the table once"):
        table_letters(tmp_path)


def test_keep_without_folder_is_wrong_use(data, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        back_up(data, tmp_path / "one", "--keep", "2")
    assert ended.value.code == 2 and "--keep needs a folder" in capsys.readouterr().err
    for word in ("0", "-1", "many"):
        with pytest.raises(SystemExit) as ended:
            back_up(data, tmp_path, "--keep", word)
        assert ended.value.code == 2
    assert not (tmp_path / "one").exists()


def test_old_backup_that_cannot_be_removed_is_named(tmp_path):
    with raises_text(LocalError, "The new backup is whole"):
        remove_old_backups(tmp_path / "none", WHOSE[:16], 1)
