"""Permutation test for differences between groups, seeded, so that the same data give the same
number.

The test shuffles the values over the groups many times, separately for each kind of value. The
p-value is the share of shuffles with a spread at least as large as the observed one. The test ends
as soon as it has seen enough of these (J. Besag, P. Clifford, "Sequential Monte Carlo p-values",
Biometrika 78, 1991). Even data therefore cost little.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from protocol.limits import FAIRNESS_ENOUGH, FAIRNESS_TRIES

_SAME = 1e-9  # relative tolerance: sums in another order differ by less


class Sample(NamedTuple):
    """A value of a group. Only values of the same kind are compared."""

    group: int
    kind: Hashable
    value: float


def p_value(samples: Iterable[Sample], seed: bytes) -> float | None:
    """Return the probability that chance alone spreads the values at least as unevenly over the
    groups.

    None if there are no two groups to compare.
    """
    blocks = _sample_blocks(samples)
    sizes = _group_sizes(blocks)
    if len(sizes) < 2:
        return None
    rng, observed = Random(seed), _group_spread(blocks, sizes)  # noqa: S311 - the same log gives the same number
    tries = more = 0
    while tries < FAIRNESS_TRIES and more < FAIRNESS_ENOUGH:
        for _, values in blocks:
            _shuffle(values, rng)
        more += _group_spread(blocks, sizes) >= observed * (1 - _SAME)
        tries += 1
    if more == FAIRNESS_ENOUGH:
        return more / tries
    return (more + 1) / (tries + 1)


def average_ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, from 1; equal values share their mean rank. Ranks limit the
    effect of a few very large values.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            found[place] = (begin + 1 + end) / 2
        begin = end
    return found


# (group, begin, end) for the values of each group; all values minus their mean
_Block = tuple[list[tuple[int, int, int]], list[float]]


def _sample_blocks(samples: Iterable[Sample]) -> list[_Block]:
    """Group the values by kind, then by group. Kinds with only one group or only one value are left
    out.
    """
    by_kind: dict[Hashable, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for group, kind, value in samples:
        by_kind[kind][group].append(value)
    blocks = (_block(groups) for groups in by_kind.values() if len(groups) > 1)
    return [block for block in blocks if any(block[1])]


def _block(groups: dict[int, list[float]]) -> _Block:
    places = []
    values = list[float]()
    for group, own in sorted(groups.items()):
        places.append((group, len(values), len(values) + len(own)))
        values += own
    mean = sum(values) / len(values)
    same = min(values) == max(values)
    return places, [0.0 if same else value - mean for value in values]


def _group_sizes(blocks: list[_Block]) -> dict[int, int]:
    sizes: dict[int, int] = defaultdict(int)
    for places, _ in blocks:
        for group, begin, end in places:
            sizes[group] += end - begin
    return sizes


def _group_spread(blocks: list[_Block], sizes: dict[int, int]) -> float:
    """Return the sum over groups of the squared sum of deviations, divided by the size of the
    group.
    """
    sums = dict.fromkeys(sizes, 0.0)
    for places, values in blocks:
        for group, begin, end in places:
            sums[group] += sum(values[begin:end])
    return sum(found * found / sizes[group] for group, found in sums.items())


def _shuffle(values: list[float], rng: Random) -> None:
    """Shuffle by Fisher and Yates. Only `Random.random` gives the same numbers in every version of
    Python.
    """
    for last in range(len(values) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        values[last], values[other] = values[other], values[last]
