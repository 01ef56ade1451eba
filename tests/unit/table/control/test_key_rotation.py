"""Work on a folder: the commitment to the next key, and the rotation to it."""

from contextlib import closing

import pytest

from protocol.errors import LocalError
from protocol.identity.key_history import KeyPin, commitment_to, learn
from protocol.identity.keys import Identity
from table.control.backup import has_key, restore, write_backup
from table.control.key_rotation import commit_to_next, rotate_key
from table.storage.disk.journal import Journal
from table.storage.disk.keys import (
    HISTORY_FILE,
    KEY_FILE,
    load_identity,
    read_history,
    shown_history,
)
from table.storage.interface import NewAttestations


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "table"
    load_identity(folder)
    return folder


def new_file(tmp_path, name="next.key"):
    return tmp_path / name


def test_commitment_that_was_lost_is_made_again_from_the_same_file(tmp_path, data):
    file = new_file(tmp_path)
    assert commit_to_next(data, None, file).is_new
    before = (data / HISTORY_FILE).read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    (data / HISTORY_FILE).unlink()
    assert not commit_to_next(data, None, file).is_new
    assert (data / HISTORY_FILE).read_bytes() == before


def test_key_outside_the_folder_is_rotated_by_its_host(tmp_path):
    data, key, file = tmp_path / "table", tmp_path / "given.key", new_file(tmp_path)
    data.mkdir()
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    commit_to_next(data, key, file)
    found = rotate_key(data, key, file, None)
    assert not found.in_folder and not found.has_next
    assert not (data / KEY_FILE).exists() and key.read_bytes() == bytes(range(32))
    assert shown_history(data, Identity(file.read_bytes()).public)
    with pytest.raises(LocalError, match="foreign"):
        shown_history(data, Identity(key.read_bytes()).public)
    # the new key commits later
    commit_to_next(data, file, tmp_path / "after.key")
    assert read_history(data).number == 1 and read_history(data).next


def test_next_key_that_is_readable_or_used_is_refused(tmp_path, data):
    file = new_file(tmp_path)
    file.write_bytes(bytes(32))
    file.chmod(0o644)
    with pytest.raises(LocalError, match=r"secret\.others"):
        commit_to_next(data, None, file)
    with pytest.raises(LocalError, match=r"wrong\.key\.used"):
        commit_to_next(data, None, data / KEY_FILE)
    assert not (data / HISTORY_FILE).exists()


def test_witness_is_not_rotated(tmp_path, data):
    file = new_file(tmp_path)
    commit_to_next(data, None, file)
    with closing(Journal(data)) as journal:
        journal.write([NewAttestations(0, ((b"slot", b"word"),), ())])
    before = (data / KEY_FILE).read_bytes()
    with pytest.raises(LocalError, match="witness"):
        rotate_key(data, None, file, None)
    assert (data / KEY_FILE).read_bytes() == before


def test_backup_has_the_history_beside_the_key(tmp_path, data):
    commit_to_next(data, None, new_file(tmp_path))
    with closing(Journal(data)) as journal:
        journal.snapshot(tmp_path / "copy")
    backup, again = tmp_path / "a.backup", tmp_path / "again"
    write_backup(data, tmp_path / "copy", backup, 0)
    restore(backup, again)
    assert has_key(backup)
    assert (again / HISTORY_FILE).read_bytes() == (data / HISTORY_FILE).read_bytes()


def test_restored_backup_rotates_as_before_with_the_same_files(tmp_path, data):
    files = new_file(tmp_path), new_file(tmp_path, "after.key")
    commit_to_next(data, None, files[0])
    with closing(Journal(data)) as journal:
        journal.snapshot(tmp_path / "copy")
    write_backup(data, tmp_path / "copy", tmp_path / "backup", 1)
    rotate_key(data, None, *files)
    seen = read_history(data)
    for name, then, agrees in (("same", files[1], True), ("other", None, False)):
        assert restore(tmp_path / "backup", tmp_path / name).has_next
        rotate_key(tmp_path / name, None, files[0], then)
        again = read_history(tmp_path / name)
        assert again.key == seen.key
        # what a player holds against a key who saw it commit, and then both rotations
        old = seen.rotations[0].old
        pins = learn({old: KeyPin(0, commitment_to(seen.key))}, seen)
        assert learn(pins, again)[old].in_conflict is not agrees


def test_folder_of_before_shows_nothing(data):
    assert shown_history(data, load_identity(data).public) == b""
