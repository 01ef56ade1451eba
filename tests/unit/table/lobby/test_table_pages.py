"""Pages of a lobby with many tables: nothing is left out or comes twice, and each fits a message."""

from types import SimpleNamespace

import pytest

from protocol.limits import MAX_MESSAGE, MAX_NAME, MAX_SEATS, MAX_TABLES_FOUND
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.messages.table import encode
from protocol.messages.table_search import TableSearch
from protocol.options import Selection
from table.config import Bounds
from table.lobby.tables import Lobby, LobbyTable

NIM = make_terms(Selection("nim"), Selection("none"), Allowance().options(), 2)
HEXAPAWN = make_terms(Selection("hexapawn"), Selection("none"), Allowance().options(), 2)


def lobby(count):
    """Make a lobby with as many created tables, every third of which is for another game."""
    made = Lobby(NIM, "Host", Bounds())
    for number in range(count, 0, -1):  # as after a restart, in any order
        made.add(LobbyTable(number, HEXAPAWN if number % 3 == 0 else NIM, b"c" * 32))
    return made


def page(made, *asked, **more):
    return made.page(TableSearch(*asked, **more), LobbyTable.listing)


def all_pages(made, *asked, most=7):
    pages = [page(made, *asked, most=most)]
    while pages[-1].next is not None:
        pages.append(page(made, *asked, start=pages[-1].next, most=most))
    return pages


def test_pages_in_turn_list_each_table_once_in_order():
    pages = all_pages(lobby(200))
    ids = [row[0] for each in pages for row in each.rows]
    assert ids == ["main", *(f"table-{number}" for number in range(1, 201))]
    assert {each.total for each in pages} == {201}
    assert [each.before for each in pages] == list(range(0, 201, 7))


def test_search_pages_only_what_it_finds():
    pages = all_pages(lobby(40), "hexa", most=5)
    ids = [row[0] for each in pages for row in each.rows]
    assert ids == [f"table-{number}" for number in range(3, 41, 3)]
    assert {each.total for each in pages} == {13}


def test_tables_that_come_and_go_shift_no_others():
    made = lobby(30)
    first = page(made, most=10)
    for number in (2, 3, 15):
        del made.tables[f"table-{number}"]
    made.add(LobbyTable(31, NIM, b"c" * 32))
    rest = [row[0] for each in all_pages(made) for row in each.rows]
    second = page(made, start=first.next, most=50)
    assert first.rows[-1][0] == "table-9" and second.rows[0][0] == "table-10"
    assert [row[0] for row in second.rows] == rest[rest.index("table-10") :]
    assert (second.before, second.total) == (8, 29)


def test_text_that_is_an_id_finds_that_table_alone():
    assert [row[0] for row in page(lobby(30), "table-1").rows] == ["table-1"]
    assert [row[0] for row in page(lobby(30), "TABLE-1").rows][:2] == ["table-1", "table-10"]
    assert page(lobby(30), "table-31").total == 0


def test_people_who_wait_are_found_by_name():
    made = lobby(5)
    made.tables["table-4"].waiting.append(SimpleNamespace(name="Cleo", identity=b"k" * 32))
    assert [row[0] for row in page(made, "cle").rows] == ["table-4"]


def test_page_of_the_longest_names_fits_a_message():
    made = lobby(200)
    crowd = [
        SimpleNamespace(name="\U0001f0a1" * MAX_NAME, identity=bytes([n]) * 32)
        for n in range(MAX_SEATS)
    ]
    for table in made.tables.values():
        table.waiting.extend(crowd)
    pages = all_pages(made, most=MAX_TABLES_FOUND)
    assert all(len(encode("found", *each.values())) <= MAX_MESSAGE for each in pages)
    assert [row[0] for each in pages for row in each.rows] == [
        "main",
        *(f"table-{number}" for number in range(1, 201)),
    ]
    assert min(len(each.rows) for each in pages[:-1]) > 10


@pytest.mark.parametrize("start", [0, 5, 10**12])
def test_page_of_no_rows_says_how_many_there_are(start):
    empty = page(lobby(20), start=start, most=0)
    assert (empty.rows, empty.total) == ([], 21)
    assert empty.next == (None if start > 20 else start)
