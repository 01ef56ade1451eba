"""Table process that is killed, stopped, or has a full disk in the middle of a match."""

import asyncio
import resource
import shutil
import sys
from random import Random

import pytest

from protocol.match.log_file import MAGIC, encode_record, read_records
from table.storage.disk.journal import Journal
from tests.support.tables import until
from tests.system.kill_table import Figures, TableProcess, kill_workers_often, play_rounds, run

pytestmark = pytest.mark.process

SHORT = ("--game", "draw-dominoes", "--target", "1")


@pytest.mark.parametrize("deal", ["layered", "verified"])
async def test_table_killed_at_random_loses_nothing(tmp_path, deal):
    figures = await run(tmp_path, 3, 2, Random(1), *SHORT, "--deal", deal, pause=0.8)
    assert (figures.kills, figures.wrong) == (3, [])
    assert figures.matches > 0


async def test_workers_killed_at_random_lose_nothing(tmp_path):
    words = (*SHORT, "--deal", "verified", "--workers", "2")
    figures = await run(tmp_path, 3, 2, Random(1), *words, pause=0.8, kill=kill_workers_often)
    assert (figures.kills, figures.wrong) == (3, []) and figures.matches > 0


async def test_table_stopped_during_deal_goes_on_after_restart(tmp_path):
    table, figures = TableProcess(tmp_path, *SHORT), Figures()
    await table.start()
    try:
        rounds = asyncio.create_task(one_round(table, figures))
        await until(lambda: any(log.stat().st_size > 3000 for log in tmp_path.glob("0-*.fairdeal")))
        assert await table.stop() == 0
        await table.start()
        await rounds
        assert await table.stop() == 0
    finally:
        await table.kill()
    assert (figures.matches, figures.wrong) == (1, [])
    assert "goes on after" in table.errors.read_text()


async def one_round(table: TableProcess, figures: Figures) -> None:
    """Play and check one match."""
    enough = asyncio.Event()
    asyncio.get_running_loop().call_soon(enough.set)
    await play_rounds(table, 2, figures, enough)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
async def test_table_on_full_disk_acknowledges_nothing_and_recovers(
    tmp_path,
):
    table, figures = TableProcess(tmp_path, *SHORT), Figures()
    await table.start()
    wal = tmp_path / "table" / "journal.sqlite-wal"
    empty = wal.stat().st_size
    try:
        rounds = asyncio.create_task(one_round(table, figures))
        # the match has begun, and has entries
        await until(lambda: wal.stat().st_size > empty + 30_000)
        # in the middle of a page: a short write, then the error
        full = wal.stat().st_size + 2_000
        resource.prlimit(table.process.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        await until(lambda: b"cannot be written" in table.errors.read_bytes())
        acknowledged = [log.read_bytes() for log in tmp_path.glob("0-*.fairdeal")]
        # a copy as `cp -r` makes it, without the socket of the host's command
        no_socket = shutil.ignore_patterns("*.sock")
        shutil.copytree(tmp_path / "table", tmp_path / "copy", ignore=no_socket)
        resource.prlimit(
            table.process.pid,
            resource.RLIMIT_FSIZE,
            (resource.RLIM_INFINITY, resource.RLIM_INFINITY),
        )
        await rounds
        assert await table.stop() == 0
    finally:
        await table.kill()
    assert (figures.matches, figures.wrong) == (1, [])
    journal = Journal(tmp_path / "copy")
    (match,) = journal.open_matches()
    stored = journal.records(match.match_id)
    journal.close()
    final = list(read_records((tmp_path / "0-0.fairdeal").read_bytes()))
    on_disk = MAGIC + b"".join(encode_record(*record) for record in final[: len(stored)])
    assert [entry for entry, _ in final[: len(stored)]] == [record.entry for record in stored]
    assert all(len(log) <= len(on_disk) for log in acknowledged)
    said = table.errors.read_text()
    assert (said.count("cannot be written"), said.count("is written again")) == (1, 1)
