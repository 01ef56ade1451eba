"""The standby itself: real journals, a real line between two threads, and the command for
promotion.
"""

import asyncio
import contextlib
import logging
import socket
import time

import pytest

from commandline.exit_codes import ExitCode
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, fingerprint
from table.__main__ import make_config, make_parser
from table.config import Config
from table.control.key_rotation import commit_to_next, rotate_key
from table.control.messages import HeadRow
from table.control.status import status_rows
from table.manager.server import TableServer
from table.metrics import Metrics
from table.standby.channel import Channel, ChannelBroken, table_answers
from table.standby.command import main, promote
from table.standby.handover import LET_GO, let_go
from table.standby.messages import alone, copies, decode_at, here, where
from table.standby.primary import NoStandby, StandbyReplica
from table.standby.server import open_standby
from table.storage.disk.journal import LOGS, Journal
from table.storage.disk.keys import load_identity
from table.storage.disk.replication_state import Diverged, Role
from table.storage.disk.transactions import follows
from table.storage.disk.writer import Writer
from table.storage.interface import NewTable
from tests.integration.standby.second import TABLE, Second
from tests.integration.storage.calls import Told, claim, game, put, rows
from tests.support.tables import close_all, config, finish, seated, until
from tests.unit.table.storage.disk.test_journal import TERMS

pytestmark = pytest.mark.process


@pytest.fixture
def second(tmp_path):
    second = Second(tmp_path / "second")
    second.start()
    yield second
    second.stop()


def writer_of(folder, standby=None) -> Writer:
    return Writer(Journal(folder), 0.001, Metrics(), standby)


def standby_at(second: Second, here_at: str = "") -> StandbyReplica:
    return StandbyReplica(second.address, TABLE, here_at, 0.001)


async def played(folder, second: Second, *ends: int, here_at: str = "") -> None:
    """Let a table with this standby play a match up to each of `ends`, and end."""
    writer = writer_of(folder, standby_at(second, here_at))
    await writer.start()
    first = 0
    for end in ends:
        assert await put(writer, game().part(first, end)) == "done"
        first = end
    writer.close()


async def refused(folder, replica) -> str:
    writer = writer_of(folder, replica)
    with pytest.raises(LocalError) as caught:
        await writer.start()
    writer.close()
    assert english_text(caught.value.phrase)
    return caught.value.phrase.key


@contextlib.contextmanager
def wrong(key: str):
    """Expect an error with this key."""
    with pytest.raises(LocalError) as caught:
        yield
    assert caught.value.phrase.key == key


def line_to(
    second: Second, identity: Identity = TABLE, key: bytes = TABLE.public, *prologue: bytes
):
    """Open a primary's line, and close it at the end."""
    return contextlib.closing(Channel(second.address, identity, fingerprint(key), *prologue))


def told_by(promotion, *values, **named) -> list[str]:
    """Return the keys of a promotion's messages."""
    said = []
    promotion(*values, lambda told: said.append(told.key), **named)
    return said


async def test_primary_with_existing_matches_copies_them_and_finished_files(tmp_path, second):
    alone_before, match = writer_of(tmp_path / "first"), game(2)
    await alone_before.start()
    for number in range(2):
        assert await put(alone_before, NewTable(number + 1, TERMS, b"a" * 32)) == "done"
    assert await put(alone_before, match.part(0, len(match.records))) == "done"
    alone_before.export(match.match_id, [record.head for record in match.records], lambda: None)
    while await rows(alone_before):
        await asyncio.sleep(0.001)
    assert await put(alone_before, game().part(0, 2)) == "done"
    alone_before.close()
    await played_on(tmp_path / "first", second)
    second.stop()
    assert told_by(promote, second.folder, TABLE, False) == ["standby.known", "standby.promoted"]
    there = writer_of(second.folder)
    kept = await there.start()
    assert ([table.number for table in kept.tables], kept.last_number) == ([1, 2], 2)
    found = await claim(there, game().match_id)
    assert found is not None and found.records == game().stored(4, 0)
    assert there.journal.finished(match.match_id) == match.records
    there.close()
    files = [
        [path.read_bytes() for path in (tmp_path / each / LOGS).iterdir()]
        for each in ("first", "second")
    ]
    assert files[0] == files[1] and len(files[0]) == 1


async def played_on(folder, second: Second) -> None:
    writer = writer_of(folder, standby_at(second))
    await writer.start()
    found = await claim(writer, game().match_id)
    assert found is not None
    assert await put(writer, game().part(2, 4, found.claim, 2)) == "done"
    writer.close()


async def test_pair_goes_on_once_both_have_the_rotated_key(tmp_path, caplog):
    data = tmp_path / "table"
    second = Second(tmp_path / "second", load_identity(data))
    second.start()
    made = config(data, standby=second.address)

    async def play() -> None:
        async with asyncio.timeout(120), TableServer(made) as table:
            clients = await seated(table, 1, 2)
            await finish(clients)
            await close_all(*clients)

    await play()
    commit_to_next(data, None, tmp_path / "next.key")
    rotate_key(data, None, tmp_path / "next.key", None)
    # a standby with the old key is none: nothing is signed without it
    playing = asyncio.create_task(play())
    await until(lambda: "is none of this table's key" in caplog.text)
    playing.cancel()
    await asyncio.wait([playing])
    second.stop()
    second.identity = load_identity(data)
    second.start()
    before = second.journal.standing.number
    await play()
    assert second.journal.standing.number > before
    second.stop()


async def test_status_of_table_tells_if_its_standby_follows(tmp_path, second):
    key = tmp_path / "key"
    key.write_bytes(b"t" * 32)
    key.chmod(0o600)
    made = Config(tmp_path / "table", port=0, key=key, standby=second.address)
    async with TableServer(made) as table:
        head = next(status_rows(table.manager))
        assert isinstance(head, HeadRow) and head.link == str(table.link)
        assert head.standby == f"127.0.0.1:{second.address[1]}"
        assert head.silent is not None and head.silent < 60


async def test_primary_does_nothing_while_standby_is_away_then_resumes(tmp_path, second, caplog):
    writer = writer_of(tmp_path / "first", standby_at(second))
    await writer.start()
    second.stop()
    tried = [Told(writer, NewTable(number, TERMS, b"a" * 32)) for number in range(1, 4)]
    await until(lambda: "all matches wait for it" in caplog.text)
    assert not any(each.said for each in tried)
    assert writer.silent() > 0
    second.start()
    assert [await each() for each in tried] == ["done"] * 3
    assert second.journal.standing.place == writer.journal.standing.place
    assert caplog.text.count("all matches wait for it") == 1
    writer.close()


async def test_primary_closing_does_not_wait_forever_for_standby(tmp_path, second):
    writer = writer_of(tmp_path / "first", standby_at(second))
    await writer.start()
    second.stop()
    tried = Told(writer, NewTable(1, TERMS, b"a" * 32))
    began = time.monotonic()
    writer.close()
    assert not tried.said and time.monotonic() - began < 5


async def test_folder_starts_only_in_its_role(tmp_path, second):
    await played(tmp_path / "first", second, 1)
    assert await refused(tmp_path / "first", None) == "wrong.standby.needed"
    second.stop()
    assert await refused(second.folder, None) == "wrong.standby.folder"
    with wrong("wrong.standby.table"):
        open_standby(tmp_path / "first")
    promote(second.folder, TABLE, False, lambda told: None)
    with wrong("wrong.standby.host"):
        open_standby(second.folder)
    for once_more in (second.folder, tmp_path / "nothing"):
        with wrong("wrong.standby.none"):
            promote(once_more, TABLE, True, lambda told: None)
    second.folder = tmp_path / "third"
    second.start()


async def test_primary_refuses_standby_that_is_ahead_foreign_or_incomplete(tmp_path, second):
    folder = tmp_path / "first"
    await played(folder, second, 1)
    older = {path.name: path.read_bytes() for path in folder.glob("journal*")}
    journal = Journal(folder)
    newer = standby_at(second)
    journal.write([NewTable(1, TERMS, b"a" * 32)])
    newer.level(journal)
    newer.close()
    journal.close()
    for name, data in older.items():
        (folder / name).write_bytes(data)
    assert await refused(folder, standby_at(second)) == "wrong.standby.ahead"
    assert await refused(folder, NoStandby(TABLE, 0)) == "wrong.standby.ahead"
    second.stop()
    other = Second(tmp_path / "third")
    other.start()
    assert await refused(folder, standby_at(other)) == "wrong.standby.another"
    other.stop()
    second.start()


async def test_primary_alone_records_that_and_old_standby_needs_force(tmp_path, second):
    folder = tmp_path / "first"
    await played(folder, second, 1, 2)
    writer = writer_of(folder, NoStandby(TABLE, 0))
    await writer.start()
    assert (writer.journal.standing.role, second.journal.standing.role) == (Role.ALONE, Role.LEFT)
    found = await claim(writer, game().match_id)
    assert found is not None and found.records == game().stored(2, 0)
    writer.close()
    assert await refused(folder, standby_at(second)) == "wrong.standby.used"
    second.stop()
    with wrong("wrong.standby.doubts"):
        promote(second.folder, TABLE, False, lambda told: None)
    assert told_by(promote, second.folder, TABLE, True) == [
        "standby.known",
        "standby.left",
        "standby.promoted",
    ]
    second.folder = tmp_path / "third"
    second.start()


async def test_primary_stays_bound_if_standby_answers_as_table(tmp_path, second):
    folder = tmp_path / "first"
    await played(folder, second, 1)
    second.stop()
    asked = []
    twin = NoStandby(TABLE, 7500, True, lambda address, key: not asked.append((address, key)))
    assert await refused(folder, twin) == "wrong.standby.twin"
    assert asked == [(("127.0.0.1", 7500), TABLE.public)]
    second.start()


async def test_primary_leaves_silent_promoted_standby_only_when_forced(tmp_path, second):
    """The promoted table has not been started yet, or listens elsewhere, so it cannot be
    noticed.
    """
    await played(tmp_path / "first", second, 1)
    second.stop()
    promote(second.folder, TABLE, False, lambda told: None)
    assert await refused(tmp_path / "first", NoStandby(TABLE, 0)) == "wrong.standby.untold"
    journal = Journal(tmp_path / "first")
    assert journal.standing.role is Role.PRIMARY
    journal.close()
    second.folder = tmp_path / "third"
    second.start()


async def goes_on(folder, replica, after: Role) -> None:
    writer = writer_of(folder, replica)
    await writer.start()
    assert writer.journal.standing.role is after
    writer.close()


async def test_primary_leaving_uninformed_standby_logs_and_delays_another(tmp_path, second, caplog):
    """A quarter of an hour later, a promotion of the first standby asks by itself."""
    folder, other = tmp_path / "first", Second(tmp_path / "other")
    await played(folder, second, 1)
    second.stop()
    await goes_on(folder, NoStandby(TABLE, 0, True, now=lambda: 1000.0), Role.ALONE)
    assert "Never promote it" in caplog.text
    await goes_on(folder, NoStandby(TABLE, 0), Role.ALONE)  # once is enough
    other.start()
    new = [
        StandbyReplica(other.address, TABLE, "", 0.001, lambda at=at: at) for at in (1899.0, 1901.0)
    ]
    assert await refused(folder, new[0]) == "wrong.standby.wait"
    await goes_on(folder, new[1], Role.PRIMARY)
    other.stop()
    second.start()


async def test_uninformed_standby_is_informed_before_another_follows(tmp_path, second):
    folder, other = tmp_path / "first", Second(tmp_path / "other")
    await played(folder, second, 1, here_at="127.0.0.1:7500")
    second.stop()
    await goes_on(folder, NoStandby(TABLE, 0, True), Role.ALONE)
    second.start()
    other.start()
    await goes_on(folder, standby_at(other), Role.PRIMARY)
    assert (second.journal.standing.role, second.journal.standing.peer) == (
        Role.LEFT,
        "127.0.0.1:7500",
    )
    other.stop()


async def test_replica_with_unwritable_files_is_void_and_copied_again(tmp_path):
    first, match = writer_of(tmp_path / "first"), game(2)
    await first.start()
    assert await put(first, match.part(0, len(match.records))) == "done"
    first.export(match.match_id, [record.head for record in match.records], lambda: None)
    while await rows(first):
        await asyncio.sleep(0.001)
    first.close()
    source, journal = Journal(tmp_path / "first"), open_standby(tmp_path / "second")
    (file,) = (tmp_path / "first" / LOGS).iterdir()
    (blocked := tmp_path / "second" / LOGS / f"{file.stem}.part").mkdir()
    with pytest.raises(OSError, match="directory"):
        copied(source, journal)
    assert journal.standing.role is Role.EMPTY and journal.unused()
    blocked.rmdir()
    copied(source, journal)
    assert (tmp_path / "second" / LOGS / file.name).read_bytes() == file.read_bytes()
    source.close()
    journal.close()


def copied(source: Journal, journal: Journal) -> None:
    journal.begin_copy()
    for table, row in source.rows():
        journal.put_rows(table, [row])
    journal.end_copy(journal.standing._replace(role=Role.STANDBY))


def test_promotion_that_gives_up_leaves_standby_running(tmp_path, second):
    """The busy standby neither answers nor ends."""
    with wrong("wrong.journal.held"):
        promote(second.folder, TABLE, True, lambda told: None, wait=0.2)
    with wrong("wrong.journal.held"), let_go(second.folder, 0.2):
        """Not reached."""
    assert {path.name.split(".")[0] for path in second.folder.iterdir()} == {"journal", LOGS}


def test_journal_in_use_keeps_files_that_are_being_written(tmp_path, second):
    (draft := second.folder / LOGS / "x.part").write_bytes(b"half")
    with wrong("wrong.journal.held"):
        Journal(second.folder)
    assert draft.exists()


async def test_promotion_asks_if_table_still_answers(tmp_path):
    """Only the table's own key counts. Another table at that address does not prevent a
    promotion.
    """
    key = tmp_path / "key"
    key.write_bytes(b"t" * 32)
    key.chmod(0o600)
    async with TableServer(Config(tmp_path / "table", port=0, key=key)) as table:
        address = ("127.0.0.1", table.link.port)
        assert await asyncio.to_thread(table_answers, address, TABLE.public)
        assert not await asyncio.to_thread(table_answers, address, Identity(b"o" * 32).public)
        second = Second(tmp_path / "second")
        second.start()
        await played(tmp_path / "first", second, 1, here_at=f"127.0.0.1:{address[1]}")
        second.stop()
        with wrong("wrong.standby.doubts"):
            await asyncio.to_thread(promote, second.folder, TABLE, False, lambda told: None)
    assert told_by(promote, second.folder, TABLE, False) == ["standby.known", "standby.promoted"]


def test_standby_stores_address_of_table(second):
    """A busy primary may not repeat its address for long, and a promotion asks there all the
    same.
    """
    with line_to(second) as line:
        line.ask([here("127.0.0.1:7500")])
        assert decode_at(line.ask(copies(bytes(32), ()))).role is Role.STANDBY
    assert second.journal.standing.peer == "127.0.0.1:7500"


def test_standby_channel_without_table_key_is_refused_both_ways(second):
    stranger = Identity(b"x" * 32)
    with pytest.raises(ChannelBroken), line_to(second, stranger) as line:
        line.ask([here("")])
    with pytest.raises(ChannelBroken), line_to(second, TABLE, stranger.public):
        """It is not who it should be."""
    with pytest.raises(ChannelBroken), line_to(second, TABLE, TABLE.public, b"fairdeal/1"):
        """A player's way in."""
    with line_to(second) as line:
        assert (at := decode_at(line.ask([here("")]))).role is Role.EMPTY and at.number == 0


def test_silent_strangers_do_not_block_primary(second):
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(socket.create_connection(second.address))
        line = stack.enter_context(line_to(second))
        assert decode_at(line.ask([here("")])).role is Role.EMPTY


def test_newest_line_belongs_to_primary(second):
    with line_to(second) as old, line_to(second) as new:
        assert decode_at(new.ask([here("")])).role is Role.EMPTY
        with pytest.raises(ChannelBroken):
            old.ask([here("")])


def test_empty_standby_is_never_promoted(second):
    with line_to(second) as line:
        assert decode_at(line.ask([alone()])).role is Role.LEFT
    second.stop()
    with wrong("wrong.standby.empty"):
        promote(second.folder, TABLE, True, lambda told: None)
    second.start()


async def test_transaction_with_different_result_is_refused_whole(tmp_path, second):
    await played(tmp_path / "first", second, 1)
    second.stop()
    first, journal = Journal(tmp_path / "first"), Journal(second.folder)
    first.write([NewTable(1, TERMS, b"a" * 32), NewTable(1, TERMS, b"a" * 32)])
    standing = first.standing
    (transaction,) = [each for each in first.unsent() if each.number == standing.number]
    following = journal.standing._replace(number=standing.number, hash=standing.hash)
    journal.write([NewTable(1, TERMS, b"b" * 32)])
    with pytest.raises(Diverged):
        journal.follow(transaction, following)
    with pytest.raises(RemoteError):
        journal.follow(follows(journal.standing.place, b"\xc1"), following)
    assert journal.standing.number == standing.number - 1
    first.close()
    journal.close()
    second.start()


def test_promote_command_makes_no_key_and_ends_running_standby_last(
    tmp_path, second, capsys, caplog
):
    caplog.set_level(logging.INFO)
    assert main(["--data", str(tmp_path / "new")]) == ExitCode.FOLDER
    assert "does not make one" in capsys.readouterr().err and not (tmp_path / "new").exists()
    asyncio.run(played(tmp_path / "first", second, 1))
    second.stop()
    key = tmp_path / "key"
    key.write_bytes(b"t" * 32)
    key.chmod(0o600)
    words = ["--data", str(second.folder), "--key", str(key)]
    journal = Journal(second.folder)
    journal.stand(journal.standing._replace(heard=int(time.time()) - 3600))
    journal.close()
    (second.folder / LET_GO).touch()  # left by a promotion that was killed

    async def both() -> None:
        """Run the standby, and promote it at the same time."""
        running = await asyncio.create_subprocess_exec(
            "fairdeal", "standby", "--listen", "127.0.0.1:0", *words, stderr=asyncio.subprocess.PIPE
        )
        assert running.stderr is not None
        line = (await running.stderr.readline()).decode()
        assert "standby of the table" in line
        address = "127.0.0.1", int(line.split("on port ")[1].split(",")[0])
        assert await asyncio.to_thread(main, ["--promote", *words]) == 1
        still = await asyncio.to_thread(Channel, address, TABLE, fingerprint(TABLE.public))
        assert decode_at(await asyncio.to_thread(still.ask, [where()])).role is Role.STANDBY
        still.close()
        assert await asyncio.to_thread(main, ["--promote", "--anyway", *words]) == 0
        # a supervisor does not take this exit code for a normal end
        assert await running.wait() == 1

    asyncio.run(both())
    said = capsys.readouterr().out
    assert "transactions, the last of" in said and "Promoted" in said
    assert main(["--promote", *words]) == 1
    second.folder = tmp_path / "third"
    second.start()


def test_force_option_is_documented_for_table_command_line():
    assert make_config(make_parser().parse_args(["--alone", "--anyway"])).anyway
    assert not make_config(make_parser().parse_args(["--alone"])).anyway
    with wrong("wrong.needs_alone"):
        make_config(make_parser().parse_args(["--anyway"]))


async def test_metrics_know_when_the_standby_was_heard(tmp_path, second):
    metrics = Metrics()
    replica = StandbyReplica(second.address, TABLE, "", 0.001, metrics=metrics)
    writer = Writer(Journal(tmp_path / "first"), 0.001, metrics, replica)
    assert metrics.standby_heard is None
    await writer.start()
    heard = metrics.standby_heard
    assert heard is not None
    assert await put(writer, game().part(0, 3)) == "done"
    assert metrics.standby_heard > heard
    writer.close()
