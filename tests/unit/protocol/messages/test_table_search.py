"""Searches for tables: what a text finds, and how large questions and answers may be."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_GAMES_SOUGHT, MAX_NAME, MAX_SEARCH, MAX_TABLES_FOUND
from protocol.messages.table import ConnectionPhase, Sender, decode, encode
from protocol.messages.table_search import FIRST_PAGE, TableSearch

LISTING = [
    "main",
    [["nim", []], "1", ["none", []], [["extensions", 3], ["step", 300], ["turn", 120]], 2],
    [],
    0,
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, True),
        ("ble-4", True),
        ("TABLE-4", True),
        ("DOMINO", True),
        ("zoë", True),
        ("ZOE\u0308", True),  # the same name, decomposed
        ("ｚｏ", True),  # wide letters
        ("bob", False),
        ("table-44", False),
    ],
)
def test_text_finds_parts_of_names_in_any_case(text, found):
    assert TableSearch(text).finds("table-4", "block-dominoes", ["Ann", "Zoë"]) is found


def test_games_are_found_whole_and_beside_the_text():
    search = TableSearch("poker", ("omaha",))
    assert search.finds("main", "omaha", [])
    assert not search.finds("main", "omaha-high", [])
    assert search.finds("poker-room", "nim", [])
    assert not TableSearch(None, ("omaha",)).finds("main", "nim", [])


GOOD = (
    ("find", *FIRST_PAGE.values()),
    ("find", "a" * MAX_SEARCH, ["g" * MAX_NAME] * MAX_GAMES_SOUGHT, 2**40, 0),
    ("found", None, 0, 0, 1, [LISTING], None),
    ("found", "a", 5, 7, 90, [LISTING] * MAX_TABLES_FOUND, 60),
)
BAD = (
    ("find",),
    ("find", "", [], 0, 1),
    ("find", "a" * (MAX_SEARCH + 1), [], 0, 1),
    ("find", None, ["g"] * (MAX_GAMES_SOUGHT + 1), 0, 1),
    ("find", None, ["g" * (MAX_NAME + 1)], 0, 1),
    ("find", None, [], None, 1),
    ("find", None, [], 0, MAX_TABLES_FOUND + 1),
    ("found", None, 0, 0, 99, [LISTING] * (MAX_TABLES_FOUND + 1), None),
    ("found", None, 0, 0, 1, [LISTING[:-1]], None),
    ("found", "a" * (MAX_SEARCH + 1), 0, 0, 0, [], None),
)


@pytest.mark.parametrize("message", GOOD, ids=str)
def test_questions_and_pages_within_bounds_are_read(message):
    sender = Sender.PLAYER if message[0] == "find" else Sender.TABLE
    assert decode(encode(*message), sender, ConnectionPhase.LOBBY) == (
        message[0],
        list(message[1:]),
    )


@pytest.mark.parametrize("message", BAD, ids=lambda message: str(message)[:40])
def test_questions_and_pages_beyond_bounds_are_no_messages(message):
    sender = Sender.PLAYER if message[0] == "find" else Sender.TABLE
    with pytest.raises(RemoteError) as refused:
        decode(wire.encode(list(message)), sender, ConnectionPhase.LOBBY)
    assert refused.value.code is Code.BAD_MESSAGE
