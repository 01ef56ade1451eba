"""What a host's command to prune or to back up does to a table, and to the folder of one that does
not run.
"""

import asyncio
import contextlib
import hashlib
import json
import socket
import sqlite3
import stat
import tarfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from protocol import wire
from protocol.errors import LocalError
from protocol.limits import MAX_CONTROL_FRAME
from table.control.backup import restore, unwritable
from table.control.command import do
from table.control.housekeeping import back_up, back_up_folder, prune, prune_folder
from table.control.messages import Done, PrunedKind, Request, decode_request, encode_answer
from table.control.socket_file import SOCKET_FILE
from table.lobby.bans import BANS_FILE, FOR_GOOD, BanList, parse_target
from table.manager.server import TableServer
from table.storage.disk.journal import JOURNAL_FILE, Journal
from table.storage.disk.keys import KEY_FILE
from table.storage.disk.pruning import STOPPED, PruneOrder
from table.storage.interface import NewAttestations
from tests.support.errors import raises_text
from tests.support.tables import config
from tests.unit.table.storage.disk.test_journal import M
from tests.unit.table.storage.disk.test_pruning import begun

DAY = 86_400
ALL = frozenset({"finished", "stopped", "bans"})
ENDED, LONG_ENDED, HOLDS = map(parse_target, ("192.0.2.1", "192.0.2.2", "192.0.2.3"))


def ban(bans, now):
    """Make one ban that ended an hour ago, one of ten days ago, and one for good."""
    bans.decide(LONG_ENDED, now - 10 * DAY * 1000, now - 11 * DAY * 1000)
    bans.decide(ENDED, now - 3_600_000, now - 7_200_000)
    bans.decide(HOLDS, FOR_GOOD, now - 20 * DAY * 1000)


def bans_in(answers):
    (row,) = (each for each in answers if isinstance(each, PrunedKind) and each.kind == "bans")
    return row.gone, row.left


async def test_bans_that_ended_long_ago_go_while_the_table_runs(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        moderation = table.manager.moderation
        ban(moderation.bans, moderation.now)
        before = moderation.now // 1000 - 5 * DAY
        order = PruneOrder(before, kinds=ALL)
        assert bans_in(await prune(table.manager, order._replace(dry=True))) == (1, 2)
        assert bans_in(await prune(table.manager, order._replace(kinds={"finished"}))) == (0, 3)
        answers = await prune(table.manager, order)
        assert bans_in(answers) == (1, 2) and answers[-1] == Done(1)
        assert {each.target for each in moderation.bans.all} == {ENDED, HOLDS}
        assert {each.target for each in BanList(tmp_path / BANS_FILE).all} == {ENDED, HOLDS}


async def test_match_that_cannot_go_on_is_unknown_when_it_was_pruned(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        created = begun(table.storage.journal, 1, M)
        table.matches.stopped.add(M)
        answers = await prune(table.manager, PruneOrder(created + 1, kinds=ALL))
        (row,) = (
            each
            for each in answers
            if getattr(each, "kind", "") == STOPPED and isinstance(each, PrunedKind)
        )
        assert row.gone == 1 and not table.matches.stopped


def test_folder_without_running_table_is_pruned_and_backed_up(tmp_path):
    data = tmp_path / "table"
    with raises_text(LocalError, "No table runs"):
        prune_folder(data, PruneOrder(1))
    assert not data.exists()
    Journal(data).close()
    ban(BanList(data / BANS_FILE), 100 * DAY * 1000)
    answers = prune_folder(data, PruneOrder(95 * DAY, kinds=ALL))
    assert bans_in(answers) == (1, 2)
    assert back_up_folder(data, tmp_path / "backup") == 2  # the journal and the bans
    found = restore(tmp_path / "backup", tmp_path / "again")
    assert (found.finished, found.stopped, found.has_key) == (0, 0, False)
    assert len(BanList(tmp_path / "again" / BANS_FILE)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "backup", "table"]


async def test_folder_of_running_table_is_left_to_it(tmp_path):
    async with TableServer(config(tmp_path)):
        with raises_text(LocalError, "another"):
            prune_folder(tmp_path, PruneOrder(1))


async def test_shared_store_is_not_backed_up(tmp_path):
    manager = SimpleNamespace(storage=object(), config=config(tmp_path))
    with raises_text(LocalError, "share"):
        await back_up(manager, tmp_path / "x")


async def test_restored_witness_with_words_does_not_start(tmp_path):
    with closing(Journal(tmp_path / "table")) as journal:
        words = ((b"slot", b"word"),)
        journal.write([NewAttestations(0, words, ())])
    back_up_folder(tmp_path / "table", tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "again")
    (tmp_path / "again" / KEY_FILE).write_bytes(bytes(range(32)))
    (tmp_path / "again" / KEY_FILE).chmod(0o600)
    with pytest.raises(LocalError) as caught:
        async with TableServer(config(tmp_path / "again", witness=True)):
            """Not reached."""
    assert caught.value.phrase.key == "wrong.witness.restored"
    async with TableServer(config(tmp_path / "again")):
        """A table that is no witness starts."""


async def test_two_backups_to_one_file_make_a_whole_one(tmp_path):
    async with TableServer(config(tmp_path / "table")) as table:
        target = tmp_path / "backup"
        made = (back_up(table.manager, target) for _ in range(2))
        answers = await asyncio.gather(*made, return_exceptions=True)
    (refused,) = (each for each in answers if isinstance(each, Exception))
    assert isinstance(refused, LocalError) and refused.phrase.key == "wrong.backup.exists"
    assert restore(target, tmp_path / "again").has_key
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "backup", "table"]


def test_backup_that_fails_leaves_nothing_behind(tmp_path):
    data = tmp_path / "table"
    Journal(data).close()
    (data / BANS_FILE).mkdir()  # cannot be read
    with raises_text(LocalError, "directory"):
        back_up_folder(data, tmp_path / "backup")
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


@contextlib.contextmanager
def answering(data, make):
    """A table that makes what it is asked to back up with `make(path)`, one request."""
    data.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(data / SOCKET_FILE))
        listener.listen()

        def serve():
            line, _ = listener.accept()
            with line:
                (frame,) = wire.FrameDecoder(MAX_CONTROL_FRAME).feed(line.recv(65536))
                (name,) = decode_request(frame).values
                assert name == Path(name).name  # its own folder, and no other
                make(data / name)
                line.sendall(encode_answer(Done(3)))

        with ThreadPoolExecutor(1) as pool:
            served = pool.submit(serve)
            yield
            served.result()


def test_running_table_writes_into_its_own_folder_alone(tmp_path):
    data, target = tmp_path / "table", tmp_path / "backup"
    with answering(data, lambda path: path.write_bytes(b"whole")):
        assert do(data, Request("backup", [str(target)])) == ([], Done(3))
    assert target.read_bytes() == b"whole" and stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [path.name for path in data.iterdir()] == [SOCKET_FILE]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "table"]


def test_link_in_the_folder_of_a_table_is_not_followed(tmp_path):
    """The table's user could have the administrator copy a file that only the latter may read."""
    data, secret = tmp_path / "table", tmp_path / "secret"
    secret.write_bytes(b"secret")
    with (
        answering(data, lambda path: path.symlink_to(secret)),
        pytest.raises(LocalError) as caught,
    ):
        do(data, Request("backup", [str(tmp_path / "backup")]))
    assert caught.value.phrase.key == "wrong.backup.disk"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret", "table"]


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (FileNotFoundError(2, "gone", "x"), "wrong.backup.folder"),
        (PermissionError(13, "denied", "x"), "wrong.backup.forbidden"),
        (OSError(28, "full", "x"), "wrong.backup.disk"),
        (sqlite3.OperationalError("unable to open database file"), "wrong.backup.disk"),
    ],
)
def test_backup_that_cannot_be_written_says_why(error, key):
    assert unwritable(Path("/backups/table.backup"), error).phrase.key == key


@pytest.mark.parametrize("kind", ["old", "pax"])
def test_sparse_file_in_a_backup_is_refused_unread(tmp_path, kind):
    """A few bytes of it may stand for more than any disk has."""
    size, member = 1 << 40, tarfile.TarInfo("journal.sqlite")
    with tarfile.open(tmp_path / "backup", "w", format=tarfile.PAX_FORMAT) as archive:
        if kind == "pax":
            member.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(size)}
            archive.addfile(member)
        else:
            member.type = tarfile.GNUTYPE_SPARSE
            header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
            header[483:495] = b"\x80" + size.to_bytes(11)
            header[148:156] = b" " * 8
            header[148:156] = b"%06o\0 " % sum(header)
            archive.fileobj.write(header)
    with raises_text(LocalError, "damaged"):
        restore(tmp_path / "backup", tmp_path / "again")
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]


@pytest.mark.parametrize("size", [9, -1])
@pytest.mark.parametrize("name", ["../../victim", "/victim", "..", "a\\b", "a\0", b"../../victim"])
def test_backup_of_a_stranger_reaches_no_file_outside_its_folder(tmp_path, name, size):
    """What a journal lists is removed by its name, at the start if a crash has left it."""
    (victim := tmp_path / "victim").write_text("mine")
    data, place = tmp_path / "table", tmp_path / "backup"
    Journal(data).close()
    with closing(sqlite3.connect(data / JOURNAL_FILE)) as database:
        row = (b"m" * 32, name, size, 1)
        database.execute("INSERT INTO finished (match, file, size, ended) VALUES (?, ?, ?, ?)", row)
        database.commit()
    journal = data / JOURNAL_FILE
    hashed = hashlib.sha256(journal.read_bytes()).hexdigest()
    manifest = {"version": 1, "made": 1, "files": {JOURNAL_FILE: [journal.stat().st_size, hashed]}}
    (listed := tmp_path / "manifest").write_text(json.dumps(manifest))
    with tarfile.open(place, "w") as archive:
        archive.add(journal, JOURNAL_FILE)
        archive.add(listed, "manifest.json")
    with raises_text(LocalError, "damaged"):
        restore(place, tmp_path / "again")
    assert victim.read_text() == "mine" and not (tmp_path / "again").exists()
