"""Programs that end with their parent, and the file with a table's reports."""

import asyncio
from dataclasses import replace

import pytest

from commandline.terms_flags import parse_terms
from fairdeal.app_tables import AppTables, StoredTable, terms_words
from fairdeal.host_arguments import make_parser
from fairdeal.host_play import prepare
from fairdeal.processes import Programs, _write_reports
from player.lobby.table_programs import TableRequest
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_TABLE_REPORTS
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection


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


@pytest.mark.parametrize("ends", [True, False], ids=["ended", "silent"])
async def test_table_that_says_no_page_is_told(tmp_path, ends):
    programs = Programs(tmp_path)
    programs._output = asyncio.StreamReader()
    programs._output.feed_data(b"no link\n")
    if ends:
        programs._output.feed_eof()
    with pytest.raises(LocalError) as error:
        await programs.read_page_link(patience=0.01)
    assert error.value.phrase.key == "wrong.no_table_opened.silent"


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


def test_terms_become_words_that_make_the_same_terms():
    options = (("hand", 5),)
    clock = Allowance(1, 120, 30).options()
    given = make_terms(Selection("block-dominoes", options), Selection("verified"), clock, 3)
    words = ["--game=block-dominoes", *terms_words(given, BUILT_IN), "--play"]
    asked = make_parser(BUILT_IN).parse_args([*words, "--listen=127.0.0.1:0", "--as=Zoe"])
    hosted = prepare(asked, BUILT_IN, (), words)
    again = make_parser(BUILT_IN).parse_args(list(hosted.table))
    assert parse_terms(again, BUILT_IN, has_table=True) == given
    assert not any(word.startswith("--deal") for word in words)


def test_stored_table_is_read_back_and_never_outside_its_folder(tmp_path):
    link = JoinLink("127.0.0.1", 7501, "a" * 40)
    stored = StoredTable(link, "table-2", True, ("--game=nim",))
    stored.write(tmp_path)
    assert StoredTable.read(tmp_path) == stored
    replace(stored, folder="../elsewhere").write(tmp_path)
    assert StoredTable.read(tmp_path) is None
    (tmp_path / "own-table.json").write_text("[]")
    assert StoredTable.read(tmp_path) is None


def test_bot_without_an_unfinished_match_is_cleared(tmp_path):
    folder = tmp_path / "table-bots" / "x"
    folder.mkdir(parents=True)
    (folder / "bot.json").write_text("no JSON")
    tables = AppTables(BUILT_IN, (), tmp_path)
    asyncio.run(tables.bring_bots_back(JoinLink("127.0.0.1", 7500, "a" * 40)))
    assert not folder.exists()
