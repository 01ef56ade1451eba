"""Programs that end with their parent, and the file with a table's reports."""

import asyncio

from fairdeal.app_tables import AppTables
from fairdeal.processes import _write_reports
from player.lobby.table_programs import TableRequest
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.limits import MAX_TABLE_REPORTS


def test_reports_of_a_table_stay_below_their_limit(tmp_path):
    path = tmp_path / "table.txt"
    path.write_bytes(b"")

    async def write():
        stream = asyncio.StreamReader()
        writing = asyncio.create_task(_write_reports(stream, path))
        for _ in range(5):
            stream.feed_data(b"x" * (MAX_TABLE_REPORTS // 2))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        stream.feed_data(b"the newest")
        stream.feed_eof()
        await writing

    asyncio.run(write())
    files = list(tmp_path.iterdir())
    assert len(files) == 2 and all(f.stat().st_size <= MAX_TABLE_REPORTS for f in files)
    assert path.read_bytes().endswith(b"the newest")


def test_reports_end_without_error_on_a_lost_folder(tmp_path):
    async def write():
        stream = asyncio.StreamReader()
        stream.feed_data(b"nobody reads this")
        stream.feed_eof()
        await _write_reports(stream, tmp_path / "gone" / "table.txt")

    asyncio.run(write())


def test_own_table_is_one_and_reports_why_it_cannot_open(tmp_path):
    (tmp_path / "table").write_bytes(b"a file where the folder would be")

    async def open_table():
        tables = AppTables(BUILT_IN, (), tmp_path)
        try:
            await tables.open(TableRequest("nim", near=True), "Zoe")
        except LocalError as error:
            return tables.own, error.phrase.key
        finally:
            await tables.end()
        return None

    assert asyncio.run(open_table()) == (None, "wrong.write")
