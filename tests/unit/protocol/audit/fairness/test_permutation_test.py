"""Permutation test: its error rate is as stated, and it is deterministic."""

from random import Random

import pytest

from protocol.audit.fairness.permutation_test import Sample, average_ranks, p_value
from protocol.limits import FAIRNESS_TRIES


def drawn(seed, chances, size=40):
    """Draw `size` values of each group, 1 with the chance of that group."""
    rng = Random(seed)
    return [
        Sample(group, "a", float(rng.random() < chance))
        for group, chance in enumerate(chances)
        for _ in range(size)
    ]


@pytest.mark.slow
def test_equal_groups_differ_as_rarely_as_stated():
    found = [p_value(drawn(seed, (0.2, 0.2, 0.2)), b"%d" % seed) for seed in range(400)]
    # 20 expected; a higher count has a chance of 1 in 1,000
    assert sum(p <= 0.05 for p in found) <= 34
    assert sum(p <= 0.5 for p in found) >= 160  # guards against a test that never finds anything


@pytest.mark.slow
def test_different_groups_give_small_p_value():
    found = [p_value(drawn(seed, (0.1, 0.1, 0.7)), b"") for seed in range(20)]
    assert all(p < 0.01 for p in found)
    assert min(found) == 1 / (FAIRNESS_TRIES + 1)


def test_same_data_give_same_p_value():
    samples = drawn(3, (0.2, 0.4))
    assert p_value(samples, b"match") == p_value(samples, b"match")
    assert (
        p_value(samples, b"match")
        == p_value(tuple(samples), b"match")
        != p_value(samples, b"another")
    )


@pytest.mark.slow
def test_only_entries_of_one_kind_are_compared():
    """One group acts four times as often in a way that never fails: its share is smaller without
    any unfairness.
    """
    turns = [Sample(0, "turn", 0.0)] * 300 + [Sample(1, "turn", 0.0)] * 20
    lays = [Sample(group, "lay", float(number < 24)) for group in (0, 1) for number in range(60)]
    assert p_value(turns + lays, b"") > 0.5
    assert p_value([Sample(group, "", value) for group, _, value in turns + lays], b"") < 0.01


def test_incomparable_data_give_no_p_value():
    assert p_value([], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(0, "a", 0.0)], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(1, "b", 0.0)], b"") is None
    assert p_value([Sample(0, "a", 1.0), Sample(1, "a", 1.0)], b"") is None


def test_equal_values_share_their_ranks():
    assert average_ranks([5, 1, 5, 9]) == [2.5, 1, 2.5, 4]
    assert average_ranks([]) == []
