"""The newest list seen of each directory, in the data folder."""

import json

import pytest

from player.storage.seen_lists import FILE, SeenLists
from protocol.directory.table_list import SeenList
from protocol.errors import LocalError
from protocol.limits import MAX_DIRECTORIES_SEEN
from tests.support.errors import raises_text


def test_newest_list_is_stored_for_each_directory(tmp_path):
    assert SeenLists(tmp_path).newest("a") is None
    SeenLists(tmp_path).store("a", SeenList(3, 9, b"d" * 32))
    SeenLists(tmp_path).store("a", SeenList(4, 10, b"e" * 32))
    SeenLists(tmp_path).store("b", SeenList(1, 2, b"f" * 32))
    assert SeenLists(tmp_path).newest("a") == SeenList(4, 10, b"e" * 32)
    assert SeenLists(tmp_path).newest("b") == SeenList(1, 2, b"f" * 32)


def test_directories_seen_are_bounded_and_the_oldest_goes(tmp_path):
    lists = {f"d{number}": [1, number, "00"] for number in range(MAX_DIRECTORIES_SEEN)}
    (tmp_path / FILE).write_text(json.dumps(lists))
    SeenLists(tmp_path).store("new", SeenList(1, 2, b""))
    assert SeenLists(tmp_path).newest("d0") is None
    assert SeenLists(tmp_path).newest("d1") is not None
    assert len(json.loads((tmp_path / FILE).read_text())) == MAX_DIRECTORIES_SEEN


@pytest.mark.parametrize("value", [1, [1, 2], ["x", 2, "00"], [1, 2, "zz"], [1, 2, 3]])
def test_damaged_file_is_named(tmp_path, value):
    (tmp_path / FILE).write_text(json.dumps({"a": value}))
    with raises_text(LocalError, FILE):
        SeenLists(tmp_path).newest("a")
