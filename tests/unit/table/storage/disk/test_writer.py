"""The journal's writer thread: batches, errors of the disk or of one change, and shutdown."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Generator
from functools import partial
from random import Random

import pytest

from protocol.limits import MAX_COMMIT, MAX_INT
from protocol.match.log import Record
from protocol.match.packed_log import read_packed
from table.metrics import Metrics
from table.storage.disk.journal import LOGS, Journal
from table.storage.disk.log_files import run_to_end
from table.storage.disk.match_rows import (
    Claim,
    Cut,
    KeepHeads,
    Release,
    read_records,
    remove_parts,
)
from table.storage.disk.transactions import encode_transaction, size_of
from table.storage.disk.writer import Writer
from table.storage.interface import (
    Change,
    Done,
    HeadAhead,
    MatchStopped,
    NewAttestations,
    NewTable,
    TableRemoved,
)
from tests.integration.storage.calls import Game, game
from tests.support.tables import until
from tests.unit.table.storage.disk.test_journal import RECORDS, TERMS, M, begun, lacking, more


class Disk(Journal):
    """A journal whose writes the test can delay or fail."""

    def __init__(self, data) -> None:
        super().__init__(data)
        self.free = threading.Event()
        self.free.set()
        self.fails, self.blind, self.batches = False, False, []

    def write(self, changes: list[Change]) -> list[int]:
        self.free.wait()
        fails = self.fails  # read before the test can see the call and repair the disk
        self.batches.append(len(changes))
        if fails:
            raise sqlite3.OperationalError("disk I/O error")
        return super().write(changes)

    def finished_parts(self, match_id: bytes) -> Generator[None, None, list[Record]]:
        if self.blind:
            raise sqlite3.OperationalError("disk I/O error")
        return (yield from super().finished_parts(match_id))


def submit(writer: Writer, change: Change, done: Done) -> None:
    """Submit a change that cannot be lost, since nobody else writes."""
    writer.submit(change, done, lambda: pytest.fail("lost"))


async def open_writer(tmp_path, retry_seconds: float = 0.001) -> tuple[Disk, Writer]:
    disk = Disk(tmp_path)
    writer = Writer(disk, retry_seconds, Metrics())
    await writer.start()
    return disk, writer


def match_id(number: int) -> bytes:
    return bytes([number]) * 32


async def test_changes_during_a_commit_form_one_transaction(tmp_path):
    disk, writer = await open_writer(tmp_path)
    disk.free.clear()
    told = []
    for number in range(20):
        submit(writer, begun(match_id(number)), partial(told.append, number))
        await asyncio.sleep(0)
        assert not told
    disk.free.set()
    await until(lambda: len(told) == 20)
    assert told == list(range(20))
    assert len(disk.batches) <= 3 and sum(disk.batches) == 20
    writer.close()


@pytest.mark.slow
async def test_changes_above_standby_batch_become_several_transactions(tmp_path):
    disk, writer = await open_writer(tmp_path)
    disk.free.clear()
    told, large = [], (bytes(MAX_COMMIT // 4),)
    for number in range(10):
        submit(
            writer, begun(match_id(number))._replace(entries=large), partial(told.append, number)
        )
    disk.free.set()
    await until(lambda: len(told) == 10)
    assert max(disk.batches) == 3 and sum(disk.batches) == 10
    writer.close()


CHANGES = [
    begun(M),
    more(M),
    KeepHeads(M, (bytes(64),) * 64),
    NewTable(1, TERMS, M),
    TableRemoved(1),
    HeadAhead(bytes(900)),
    Cut(M, 9, M),
    MatchStopped(M, 9),
    NewAttestations(7, ((b"s" * 32, b"w" * 300),) * 5, ((b"k" * 32, b"r" * 300),) * 3),
    Claim(M),
    Release(M, 3, "n" * 64),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: type(change).__name__)
def test_change_size_is_never_underestimated(change):
    assert len(encode_transaction([(MAX_INT, change)])) <= size_of(change)


async def test_listeners_run_only_after_the_commit(tmp_path):
    disk, writer = await open_writer(tmp_path)
    seen = []
    submit(writer, begun(M), lambda: seen.extend(disk.records(M)))
    await until(lambda: seen)
    assert seen == lacking(0, 1, 2)[:1]
    writer.close()


async def test_invalid_change_does_not_affect_others(tmp_path, caplog):
    disk, writer = await open_writer(tmp_path)
    disk.write([begun(M, 2)])
    disk.free.clear()
    told = []
    for name, change in (("a", begun(match_id(1))), ("other", begun(M)), ("b", begun(match_id(2)))):
        writer.submit(change, partial(told.append, name), partial(told.append, f"not {name}"))
    disk.free.set()
    await until(lambda: sorted(told) == ["a", "b", "not other"])
    for name, creator in (("c", M), ("d", match_id(4)), ("c again", M)):
        table = NewTable(1, TERMS, creator)
        writer.submit(table, partial(told.append, name), partial(told.append, f"not {name}"))
    await until(lambda: {"c", "not d", "c again"} <= {*told})
    writer.close()
    assert not caplog.messages


async def test_failing_listener_does_not_affect_others(tmp_path):
    disk, writer = await open_writer(tmp_path)
    reported, told = [], []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: reported.append(context["exception"])
    )
    disk.free.clear()
    submit(writer, begun(match_id(1)), lambda: 1 / 0)
    submit(writer, begun(match_id(2)), partial(told.append, 2))
    disk.free.set()
    await until(lambda: told and reported)
    assert isinstance(reported[0], ZeroDivisionError)
    submit(writer, begun(match_id(3)), partial(told.append, 3))
    await until(lambda: told == [2, 3])
    writer.close()


def levels(caplog):
    """Return the log levels of the writer's messages."""
    return [
        record.levelname for record in caplog.records if record.name == "table.storage.disk.writer"
    ]


async def test_failing_disk_is_reported_once_and_retried(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    disk, writer = await open_writer(tmp_path)
    disk.fails, told = True, []
    for number in range(3):
        submit(writer, begun(match_id(number)), partial(told.append, number))
    await until(lambda: len(disk.batches) > 10)
    assert not told
    disk.fails = False
    # the thread may log it after its listeners run
    await until(lambda: len(told) == 3 and "INFO" in levels(caplog))
    assert levels(caplog) == ["ERROR", "INFO"]
    assert "disk I/O error" in caplog.text
    writer.close()


async def test_failing_disk_is_retried_with_pauses(tmp_path):
    disk, writer = await open_writer(tmp_path, retry_seconds=60)
    disk.fails = True
    submit(writer, begun(M), lambda: None)
    await until(lambda: disk.batches)
    disk.fails, told = False, []
    submit(writer, begun(match_id(1)), partial(told.append, 1))  # of another match: not delayed
    await until(lambda: told)
    assert disk.batches == [1, 1]
    writer.close()
    assert disk.batches == [1, 1, 1]


async def test_closing_writes_pending_changes(tmp_path, caplog):
    disk, writer = await open_writer(tmp_path, retry_seconds=60)
    disk.fails = True
    submit(writer, begun(M), lambda: None)
    await until(lambda: disk.batches)
    disk.fails = False
    submit(writer, begun(match_id(2)), lambda: None)
    writer.close()
    disk = Journal(tmp_path)
    assert disk.records(M) == disk.records(match_id(2)) == lacking(0, 1, 2)[:1]
    disk.close()
    assert "closed with" not in caplog.text


async def test_ended_match_is_readable_and_running_one_is_not(tmp_path):
    _, writer = await open_writer(tmp_path)
    submit(writer, begun(M), lambda: None)
    submit(writer, begun(match_id(1)), lambda: None)
    submit(writer, more(match_id(1), over=True), lambda: None)
    writer.export(match_id(1), [record.head for record in RECORDS[1:]], lambda: None)
    found = {}
    for wanted in (M, match_id(1), match_id(2)):
        writer.fetch(wanted, partial(found.__setitem__, wanted))
    await until(lambda: len(found) == 3)
    assert found == {M: [], match_id(1): RECORDS, match_id(2): []}
    writer.close()


async def test_unreadable_match_is_not_reported_missing(tmp_path):
    disk, writer = await open_writer(tmp_path)
    submit(writer, begun(M), lambda: None)
    submit(writer, more(M, over=True), lambda: None)
    writer.export(M, [record.head for record in RECORDS[1:]], lambda: None)
    disk.blind, found = True, []
    writer.fetch(M, found.append)
    await until(lambda: found)
    disk.blind = False
    writer.fetch(M, found.append)
    await until(lambda: len(found) == 2)
    assert found == [None, RECORDS]
    writer.close()


def over(disk: Disk) -> Game:
    """Return a match that has ended, and lacks its last heads on disk."""
    match = game()
    disk.write([match.part(0, 1), match.part(1, len(match.records), heads=0)])
    return match


async def test_last_heads_are_retried_until_disk_accepts_them(tmp_path):
    disk, writer = await open_writer(tmp_path)
    match, found, told = over(disk), [], []
    disk.fails, tries = True, len(disk.batches)
    writer.export(
        match.match_id, [record.head for record in match.records[1:]], partial(told.append, None)
    )
    await until(lambda: len(disk.batches) > tries + 2)
    assert not told  # the client asks again
    assert not list((tmp_path / LOGS).iterdir())
    disk.fails = False
    await until(lambda: told and list((tmp_path / LOGS).iterdir()))  # either may come first
    writer.fetch(match.match_id, found.append)
    await until(lambda: found)
    assert found == [match.records]
    writer.close()


async def test_match_ending_at_table_close_becomes_file(tmp_path):
    """This holds even if its last heads are in the last commit."""
    disk, writer = await open_writer(tmp_path, retry_seconds=60)
    match, tries = over(disk), len(disk.batches)
    disk.fails = True
    writer.export(match.match_id, [record.head for record in match.records[1:]], lambda: None)
    await until(lambda: len(disk.batches) > tries)
    disk.fails = False
    writer.close()
    (file,) = (tmp_path / LOGS).iterdir()
    assert list(read_packed(file.read_bytes())) == match.records


async def test_unwritable_file_is_reported_and_thread_survives(tmp_path, caplog):
    _, writer = await open_writer(tmp_path)
    writer.export(M, (), lambda: None)  # an unknown match
    told = []
    submit(writer, begun(M), partial(told.append, 1))
    await until(lambda: told and "the file cannot be written" in caplog.text)
    writer.close()


def long_match(disk: Disk, entries: int) -> bytes:
    """A match of many long entries that is over, with all heads; its name."""
    made = game()
    match = made.match_id
    disk.write([made.part(0, 1)])
    heads = Random(entries).randbytes  # signatures, which nothing packs
    rows = [(match, number, bytes(20_000), heads(64)) for number in range(1, entries)]
    disk._database.executemany("INSERT INTO records VALUES (?, ?, ?, ?, NULL)", rows)
    disk._database.execute(
        "UPDATE matches SET seed = NULL, heads = ? WHERE match = ?", (bytes(64), match)
    )
    return match


async def test_commits_go_on_while_a_long_match_becomes_a_file(tmp_path):
    disk, writer = await open_writer(tmp_path)
    match = long_match(disk, 1_000)  # 20 MB
    writer.export(match, (), lambda: None)
    # a commit of its own each, and each is asked for when the one before is acknowledged; on a busy
    # machine the file may be there before the last of them
    before_file = 0
    for number in range(10, 20):
        told = []
        submit(writer, begun(match_id(number)), partial(told.append, 1))
        await until(lambda told=told: told)
        before_file += not list((tmp_path / LOGS).glob("*.fairdeal"))
    assert before_file >= 3
    await until(lambda: list((tmp_path / LOGS).glob("*.fairdeal")))
    writer.close()


async def test_long_matches_make_progress_beside_endless_commits(tmp_path):
    disk, writer = await open_writer(tmp_path)
    match, found = long_match(disk, 300), []
    writer.fetch(match, found.append)
    writer.export(match, (), lambda: None)
    number = 1_000

    def again() -> None:
        nonlocal number
        number += 1
        if not (found and list((tmp_path / LOGS).glob("*.fairdeal"))):
            for more in (1, 2):  # there is always one that waits
                submit(
                    writer,
                    NewTable(2 * number + more, TERMS, b"c" * 32),
                    again if more == 1 else lambda: None,
                )

    again()
    await until(lambda: found and list((tmp_path / LOGS).glob("*.fairdeal")))
    assert len(found[0]) == 300
    writer.close()


async def test_removal_that_was_cut_short_is_finished(tmp_path):
    disk, writer = await open_writer(tmp_path)
    match = long_match(disk, 300)
    next(remove_parts(disk._database, match))
    assert disk.finished(match) == []
    assert disk._database.execute("SELECT count(*) FROM records").fetchone()[0] > 0
    writer.close()
    again = Journal(tmp_path)
    assert again._database.execute("SELECT count(*) FROM records").fetchone() == (0,)
    assert again._database.execute("SELECT count(*) FROM matches").fetchone() == (0,)
    again.close()


async def test_match_leaving_the_journal_under_a_reader_is_read_whole(tmp_path):
    disk, writer = await open_writer(tmp_path)
    match = long_match(disk, 300)
    records = disk.finished(match)
    reading = disk.finished_parts(match)
    next(reading)
    disk.export(match)
    assert not list(read_records(disk._database, match))
    assert run_to_end(reading) == records == disk.finished(match)
    writer.close()
