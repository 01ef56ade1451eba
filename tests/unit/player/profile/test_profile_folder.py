"""Profile of a data folder: carried away, backed up, brought back, and killed in between."""

import json
import os
import sqlite3
from dataclasses import replace
from random import Random

import pytest

from player.cards.storage.database import FILE as LEDGER
from player.cards.storage.database import Database
from player.profile.profile_folder import bring, leave, pack_folder
from player.storage.files import write_whole
from player.storage.identity_file import load_identity, read_keyfile
from player.storage.own_key import OwnKey
from player.storage.profile_state import FILE, Place, read_profile_state
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from protocol.identity.profile_file import Kind


@pytest.fixture
def opened():
    """Open the cards of a data folder; they are closed after the test."""
    databases = []

    def open_database(data):
        databases.append(Database(data / LEDGER))
        return databases[-1]

    yield open_database
    for database in databases:
        database.close()


@pytest.fixture
def made(opened):
    """Make folders, each with a profile, and with what belongs to the machine."""
    return lambda data, seed=1: make(data, seed, opened)


def make(data, seed, opened):
    """Make a folder with a profile, and with what belongs to the machine."""
    identity = load_identity(data, None, Random(seed))
    for name, content in {
        "contacts.json": b"{}",
        "matches/aa.json": b"seed of a match",
        "matches/aa.outbox": b"",
        "peers/bb.json": b"another",
        "ended/cc": b"",
        "logs/a.fairdeal": b"log" * 1000,
        "play/unfinished/hearts/1/you/identity": b"of this machine",
        "bots/1/identity": b"of this machine",
        "table/key": b"of this machine",
        "playing.lock": b"",
        ".half": b"",
    }.items():
        write_whole(data / name, content)
    os.utime(data / "matches/aa.json", ns=(1234567891, 1234567891))
    database = opened(data)
    with database.transaction():
        database.keep("any", 5)
    return identity, database


def content(data):
    return {
        path.relative_to(data).as_posix(): path.read_bytes()
        for path in data.rglob("*")
        if path.is_file()
    }


def key_of(error):
    return error.value.phrase.key


def carried(data, marks=None):
    leave(data)
    return pack_folder(data, Kind.CARRIED, marks)


def test_carried_profile_is_whole_at_the_new_place(tmp_path, made, opened):
    old, new = tmp_path / "old", tmp_path / "new"
    identity, _ = made(old)
    marks, other_marks = tmp_path / "marks", tmp_path / "other marks"
    name = fingerprint(identity.public)
    write_whole(marks / f"{name}.json", b'{"signed": 4}')
    assert bring(new, carried(old, marks), other_marks) is None
    assert load_identity(new, None, Random(9)).public == identity.public
    before, after = content(old), content(new)
    same = ("contacts.json", "matches/aa.json", "matches/aa.outbox", "peers/bb.json", "ended/cc")
    assert {after[name] for name in same} == {before[name] for name in same}
    assert after["logs/a.fairdeal"] == before["logs/a.fairdeal"]
    assert set(after) == {*same, "identity", "logs/a.fairdeal", LEDGER, FILE}
    assert (new / "matches/aa.json").stat().st_mtime_ns == 1234567891
    assert (new / "matches/aa.json").stat().st_mode & 0o777 == 0o600
    assert opened(new).fact("any") == 5
    assert json.loads((other_marks / f"{name}.json").read_text()) == {"signed": 4}


def test_old_copy_refuses_every_signature(tmp_path, made):
    _, database = made(tmp_path)
    key = OwnKey(tmp_path, Random(2))
    assert key.identity() is not None
    leave(tmp_path)
    for use in (
        lambda: load_identity(tmp_path, None, Random(1)),
        lambda: read_keyfile(tmp_path),
        key.identity,
        lambda: key.change(b"", b"new"),
    ):
        with pytest.raises(LocalError) as wrong:
            use()
        assert key_of(wrong) == "wrong.profile.away"
    # a program that had its cards open before
    with pytest.raises(LocalError) as wrong, database.transaction():
        database.keep("any", 6)
    assert key_of(wrong) == "wrong.profile.away"
    assert database.fact("any") == 5


def test_transaction_that_began_before_the_lock_is_in_the_file(tmp_path, made, opened):
    old, new = tmp_path / "old", tmp_path / "new"
    _, database = made(old)
    with database.transaction():
        leave(old)
        database.keep("any", 6)
    bring(new, pack_folder(old, Kind.CARRIED, None), None)
    assert opened(new).fact("any") == 6


def test_killed_between_lock_and_file_packs_again(tmp_path, made):
    old, new = tmp_path / "old", tmp_path / "new"
    made(old)
    assert leave(old).number == 1
    # here the program was killed
    first = carried(old)
    assert carried(old) == first and first.number == 1
    bring(new, first, None)
    assert read_profile_state(new).place is Place.HERE


def test_folder_that_is_not_locked_is_not_carried(tmp_path, made):
    made(tmp_path)
    with pytest.raises(ValueError):
        pack_folder(tmp_path, Kind.CARRIED, None)
    with pytest.raises(LocalError) as wrong:
        leave(tmp_path / "none")
    assert key_of(wrong) == "wrong.profile.none"


def test_name_that_no_profile_takes_is_said_before_the_lock(tmp_path, made):
    made(tmp_path)
    (tmp_path / "logs" / "wie schön.fairdeal").write_bytes(b"")
    with pytest.raises(LocalError) as wrong:
        leave(tmp_path)
    assert key_of(wrong) == "wrong.profile.path"
    assert read_keyfile(tmp_path) is not None


def test_import_never_overwrites_a_profile(tmp_path, made):
    old, other = tmp_path / "old", tmp_path / "other"
    made(old)
    made(other, seed=2)
    profile = carried(old)
    for data in (other, tmp_path / "third"):
        if data.name == "third":
            bring(data, profile, None)
        before = content(data)
        with pytest.raises(LocalError) as wrong:
            bring(data, profile, None, unused=True)
        assert key_of(wrong) == "wrong.profile.exists"
        assert content(data) == before
    leave(other)
    with pytest.raises(LocalError) as wrong:
        bring(other, profile, None, unused=True)
    assert key_of(wrong) == "wrong.profile.exists"


def test_profile_comes_home_only_when_newer(tmp_path, made):
    home, phone = tmp_path / "home", tmp_path / "phone"
    made(home)
    first = carried(home)
    bring(phone, first, None)
    (phone / "matches" / "aa.json").unlink()
    second = carried(phone)
    with pytest.raises(LocalError) as wrong:
        bring(home, first, None)
    assert key_of(wrong) == "wrong.profile.same"
    aside = bring(home, second, None)
    assert aside is not None and (aside / "matches" / "aa.json").exists()
    # nobody plays from what was set aside, and no old match goes on
    assert not (home / "matches" / "aa.json").exists()
    with pytest.raises(LocalError) as wrong:
        load_identity(aside, None, Random(1))
    assert key_of(wrong) == "wrong.profile.away"
    third = carried(home)
    assert third.number == 3
    with pytest.raises(LocalError) as wrong:
        bring(home, second, None, unused=True)
    assert key_of(wrong) == "wrong.profile.older"
    bring(home, third, None, unused=True)
    assert load_identity(home, None, Random(1)) is not None


class Killed(BaseException):
    """Ends a program at once: nothing of the product catches it."""


class Deadly(list):
    """Files of which the program lives to see only some."""

    def __init__(self, files, lives):
        super().__init__(files)
        self.lives = lives

    def __iter__(self):
        for number, file in enumerate(super().__iter__()):
            if number == self.lives:
                raise Killed
            yield file


@pytest.mark.slow
@pytest.mark.parametrize("home", [True, False])
def test_import_killed_at_any_file_is_done_again(tmp_path, home, made):
    old, phone = tmp_path / "old", tmp_path / "phone"
    identity, _ = made(old)
    first = carried(old)
    bring(phone, first, None)
    (phone / "matches" / "aa.json").unlink()
    profile = carried(phone)
    for lives in range(len(profile.files)):
        new = tmp_path / f"new {lives}"
        if home:
            old_copy = replace(first, number=0)
            bring(new, old_copy, None)
            leave(new)
        with pytest.raises(Killed):
            bring(new, replace(profile, files=Deadly(profile.files, lives)), None)
        with pytest.raises(LocalError) as wrong:
            load_identity(new, None, Random(1))
        assert key_of(wrong) == "wrong.profile.coming"
        bring(new, profile, None)
        assert load_identity(new, None, Random(1)).public == identity.public
        assert not (new / "matches" / "aa.json").exists()
        assert {name for name in content(new) if not name.startswith("before-")} == set(
            content(phone)
        )


def test_backup_leaves_out_unfinished_matches_and_locks_nothing(tmp_path, made):
    old, new = tmp_path / "old", tmp_path / "new"
    identity, _ = made(old)
    marks = tmp_path / "marks"
    write_whole(marks / f"{fingerprint(identity.public)}.json", b'{"signed": 4}')
    profile = pack_folder(old, Kind.BACKUP, marks)
    assert profile.signed is None  # so that the cards notice an old copy
    assert load_identity(old, None, Random(1)).public == identity.public
    bring(new, profile, None)
    assert load_identity(new, None, Random(1)).public == identity.public
    names = set(content(new))
    assert {"ended/cc", "logs/a.fairdeal", LEDGER} <= names
    assert not any(name.startswith(("matches", "peers")) for name in names)
    leave(old)
    with pytest.raises(LocalError):
        pack_folder(old, Kind.BACKUP, None)
    with pytest.raises(LocalError) as wrong:
        bring(old, replace(profile, number=9), None, unused=True)
    assert key_of(wrong) == "wrong.profile.exists"


def test_damaged_note_lets_nobody_play(tmp_path, made):
    made(tmp_path)
    for wrong in (
        b"",
        b"[]",
        b'{"place": "nowhere", "number": 1, "since": 1}',
        b'{"place": "here"}',
    ):
        (tmp_path / FILE).write_bytes(wrong)
        with pytest.raises(LocalError):
            load_identity(tmp_path, None, Random(1))


def test_ledger_with_changes_in_its_log_is_whole(tmp_path, made):
    _, database = made(tmp_path)
    with database.transaction():
        database.keep("newest", 1)
    assert (tmp_path / f"{LEDGER}-wal").stat().st_size
    profile = carried(tmp_path)
    (raw,) = [file.content for file in profile.files if file.path == LEDGER]
    alone = sqlite3.connect(":memory:")
    alone.deserialize(raw[:18] + b"\1\1" + raw[20:])  # without a log of its own
    assert alone.execute("SELECT value FROM facts WHERE name = 'newest'").fetchall() == [(1,)]
    alone.close()
