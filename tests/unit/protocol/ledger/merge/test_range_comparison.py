"""Comparison of two sets by ranges: what is listed, split and asked for."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.messages import END, SHORT, START, split_shorts
from protocol.ledger.merge.range_comparison import RangeComparison
from protocol.ledger.merge.record_ranges import RecordRanges, short_id
from protocol.limits import MERGE_LIST

SALT = bytes(8)


def names(count: int, seed: int = 1) -> set[bytes]:
    rng = Random(seed)
    return {rng.randbytes(32) for _ in range(count)}


class Side:
    """One side, with records of depths 0 to 3."""

    def __init__(self, ids: set[bytes]) -> None:
        order = sorted((name[0] % 4, name) for name in ids)
        self.shorts = {short_id(SALT, name)[:SHORT]: name for name in ids}
        ranges = RecordRanges(order, {name: short_id(SALT, name) for name in ids})
        self.comparison = RangeComparison(ranges, self.shorts.__contains__)
        self.missing: set[bytes] = set()

    def hear(self, said: dict) -> dict:
        self.comparison.ranges(said["ranges"])
        self.missing.update(self.comparison.ids(said["ids"]))
        self.missing.update(self.comparison.have(said["have"]))
        return self.comparison.answers()


def compare(ours: set[bytes], theirs: set[bytes]) -> tuple[set[bytes], set[bytes], int]:
    """Return the shorts that each side misses, and the number of turns."""
    sides = Side(ours), Side(theirs)
    sides[0].comparison.begin()
    said, turns = sides[0].comparison.answers(), 0
    while any(said.values()):
        turns += 1
        said = sides[turns % 2].hear(said)
    return sides[0].missing, sides[1].missing, turns


def shorts(ids: set[bytes]) -> set[bytes]:
    return {short_id(SALT, name)[:SHORT] for name in ids}


@pytest.mark.parametrize(
    ("common", "ours", "theirs"),
    [(0, 0, 0), (5, 0, 0), (400, 1, 0), (400, 0, 1), (0, 50, 70), (300, 40, 40), (0, 0, 90)],
)
def test_each_side_learns_what_it_misses(common, ours, theirs):
    both, mine, yours = names(common, 1), names(ours, 2), names(theirs, 3)
    missing, missed, _ = compare(both | mine, both | yours)
    assert missing == shorts(yours) and missed == shorts(mine)


def test_equal_sets_take_one_turn():
    assert compare(names(500), names(500)) == (set(), set(), 1)


def test_one_record_more_takes_few_turns():
    many = names(3000)
    assert compare(many, many | names(1, 2))[2] <= 6


@pytest.mark.parametrize(("records", "listed"), [(MERGE_LIST - 1, True), (MERGE_LIST, False)])
def test_short_range_is_listed_and_longer_one_is_split(records, listed):
    side = Side(names(records))
    said = side.hear({"ranges": [[*START, [[*END, 0, bytes(16)]]]], "ids": [], "have": []})
    assert bool(said["ids"]) is listed and bool(said["ranges"]) is not listed
    if listed:
        assert len(split_shorts(said["ids"][0][-1])) == records


@pytest.mark.parametrize(
    "items",
    [
        # the second range begins before the end of the first
        [[0, b"", 2, b"", b""], [1, b"", 3, b"", b""]],
        # an empty range, and one that runs backwards
        [[1, b"", 1, b"", b""]],
        [[2, b"", 1, b"", b""]],
    ],
)
def test_ranges_that_do_not_ascend_are_refused(items):
    with pytest.raises(RemoteError) as raised:
        Side(names(10)).comparison.ids(items)
    assert raised.value.code is Code.BAD_MESSAGE


def test_ranges_may_begin_again_in_the_next_turn():
    comparison = Side(names(10)).comparison
    item = [[*START, *END, b""]]
    comparison.ids(item)
    comparison.answers()
    comparison.ids(item)


def test_missing_shorts_come_in_the_order_of_the_other_side():
    comparison = Side(set()).comparison
    one, two, three = bytes([1]) * SHORT, bytes([2]) * SHORT, bytes([3]) * SHORT
    comparison.ids([[2, b"", 3, b"", one + two]])
    comparison.answers()
    comparison.have([[1, b"", three]])
    assert comparison.missing_shorts() == [three, one, two]
    assert comparison.missing_shorts() == []
