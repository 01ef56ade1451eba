"""Keys of tables in the data folder: pinned once, followed after a yes, stopped for good."""

import pytest

from player.storage.known_tables import KnownTables
from player.storage.table_keys import FILE, TableKeys
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.key_history import KeyHistory, Succession, commit, rotate
from protocol.identity.keys import Identity, JoinLink, fingerprint

A, B, C, D = (Identity(bytes([number]) * 32) for number in range(1, 5))
FIRST = commit(KeyHistory(A.public), A, B.public)
SECOND = rotate(FIRST, A, B, C.public)
THIRD = rotate(SECOND, B, C, None)
OLD, MIDDLE, NEW = (fingerprint(each.public) for each in (A, B, C))
THIEF = commit(KeyHistory(A.public), A, D.public)
LINK = JoinLink("example.org", 7500, OLD)


def test_pins_and_accepted_keys_outlive_the_program(tmp_path):
    assert TableKeys(tmp_path).consider(OLD, FIRST) is Succession.SAME
    assert TableKeys(tmp_path).consider(OLD, SECOND) is Succession.FOLLOWED
    assert TableKeys(tmp_path).latest(OLD) == OLD  # nobody has said yes
    TableKeys(tmp_path).follow(OLD, SECOND)
    assert KnownTables(tmp_path).expected(LINK) == MIDDLE
    assert TableKeys(tmp_path).consider(MIDDLE, THIRD) is Succession.FOLLOWED
    TableKeys(tmp_path).follow(MIDDLE, THIRD)
    assert KnownTables(tmp_path).expected(LINK) == NEW
    assert TableKeys(tmp_path).latest(NEW) == NEW


def test_conflict_outlives_the_program(tmp_path):
    TableKeys(tmp_path).consider(OLD, FIRST)
    TableKeys(tmp_path).consider(OLD, THIEF)
    assert TableKeys(tmp_path).is_in_conflict(A.public)
    assert not TableKeys(tmp_path).is_in_conflict(B.public)
    assert TableKeys(tmp_path).consider(OLD, SECOND) is Succession.CONFLICT


def test_table_that_was_not_expected_pins_nothing(tmp_path):
    assert TableKeys(tmp_path).consider(NEW, FIRST) is Succession.UNRELATED
    assert TableKeys(tmp_path).consider(OLD, SECOND) is Succession.NOT_COMMITTED
    assert not (tmp_path / FILE).exists()


def test_refusal_of_a_retired_key_names_the_accepted_one(tmp_path):
    for history in (FIRST, SECOND):
        TableKeys(tmp_path).consider(OLD, history)
    TableKeys(tmp_path).follow(OLD, SECOND)
    known = KnownTables(tmp_path)
    bare = JoinLink("example.org", 7500)
    known.remember(bare, A.public)
    for link in (LINK, bare):
        said = english_text(known.refusal(link).phrase)
        assert MIDDLE in said and "accepted in place of its old one" in said


@pytest.mark.parametrize(
    "content",
    [
        '{"followed": []}',
        '{"pins": {"00": {}}}',
        '{"pins": {"xx": {"number": 0, "next": "", "rotation": null, "conflict": false}}}',
        '{"pins": {"00": {"number": 0, "next": "", "rotation": ["00"], "conflict": false}}}',
        '{"pins": {"00": {"number": 0, "next": "", "rotation": [1, 2, 3], "conflict": false}}}',
        "[]",
    ],
)
def test_damaged_file_is_named(tmp_path, content):
    (tmp_path / FILE).write_text(content)
    with pytest.raises(LocalError, match=FILE):
        TableKeys(tmp_path).consider(OLD, FIRST)
        TableKeys(tmp_path).latest(OLD)
