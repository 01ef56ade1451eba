"""Whether groups differ by more than chance: right as often as it says, and always the same for the
same data.
"""

from random import Random

import pytest

from protocol.audit.fairness.permutation import Sample, average_ranks, p_value
from protocol.limits import FAIRNESS_TRIES


def drawn(seed, chances, size=40):
    """So many values of each group, 1 with the chance of that group."""
    rng = Random(seed)
    return [
        Sample(group, "a", float(rng.random() < chance))
        for group, chance in enumerate(chances)
        for _ in range(size)
    ]


@pytest.mark.slow
def test_equal_groups_differ_no_more_often_than_p_says():
    found = [p_value(drawn(seed, (0.2, 0.2, 0.2)), b"%d" % seed) for seed in range(400)]
    assert sum(p <= 0.05 for p in found) <= 34  # 20 expected; more than this once in a thousand
    assert sum(p <= 0.5 for p in found) >= 160  # and it is not that nothing ever is


@pytest.mark.slow
def test_what_differs_is_told_apart():
    found = [p_value(drawn(seed, (0.1, 0.1, 0.7)), b"") for seed in range(20)]
    assert all(p < 0.01 for p in found)
    assert min(found) == 1 / (FAIRNESS_TRIES + 1)


def test_the_same_data_give_the_same_number():
    samples = drawn(3, (0.2, 0.4))
    assert p_value(samples, b"match") == p_value(samples, b"match")
    assert (
        p_value(samples, b"match")
        == p_value(tuple(samples), b"match")
        != p_value(samples, b"another")
    )


@pytest.mark.slow
def test_only_what_is_of_one_kind_is_compared():
    """One group does what never fails four times as often: its share is smaller, and nothing is
    wrong with that.
    """
    turns = [Sample(0, "turn", 0.0)] * 300 + [Sample(1, "turn", 0.0)] * 20
    lays = [Sample(group, "lay", float(number < 24)) for group in (0, 1) for number in range(60)]
    assert p_value(turns + lays, b"") > 0.5
    assert p_value([Sample(group, "", value) for group, _, value in turns + lays], b"") < 0.01


def test_where_there_is_nothing_to_compare_there_is_no_number():
    assert p_value([], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(0, "a", 0.0)], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(1, "b", 0.0)], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(1, "a", 1.0)], b"") is None


def test_equal_values_share_their_ranks():
    assert average_ranks([5, 1, 5, 9]) == [2.5, 1, 2.5, 4]
    assert average_ranks([]) == []
