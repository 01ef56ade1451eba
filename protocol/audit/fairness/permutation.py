"""Whether groups differ by more than chance: a permutation test, seeded, so that the same data give
the same number.

The values are dealt out to the groups anew many times, those of one kind among each other only. The
p-value is how often they then lie as far apart as they did. It ends as soon as enough of these were
seen (J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991), so what is
even costs little.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from random import Random
from typing import NamedTuple

from protocol.limits import FAIRNESS_ENOUGH, FAIRNESS_TRIES

_SAME = 1e-9  # of a spread: sums in another order differ by less


class Sample(NamedTuple):
    """One value of a group; only values of one kind are compared."""

    group: int
    kind: Hashable
    value: float


def p_value(samples: Iterable[Sample], seed: bytes) -> float | None:
    """How often chance alone spreads the values over the groups at least as unevenly; None: nothing
    to compare.
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
    return more / tries if more == FAIRNESS_ENOUGH else (more + 1) / (tries + 1)


def average_ranks(values: Sequence[float]) -> list[float]:
    """The place of each among all, from 1; equal ones share theirs: a few that are very large count
    no more.
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


# (group, from, to) of its values; the values less their mean
_Block = tuple[list[tuple[int, int, int]], list[float]]


def _sample_blocks(samples: Iterable[Sample]) -> list[_Block]:
    """By kind, and in it by group; without kinds that have one group, or one value, only."""
    by_kind: dict[Hashable, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for group, kind, value in samples:
        by_kind[kind][group].append(value)
    blocks = (_block(groups) for groups in by_kind.values() if len(groups) > 1)
    return [block for block in blocks if any(block[1])]


def _block(groups: dict[int, list[float]]) -> _Block:
    places, values = [], list[float]()
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
    """How far the groups lie from what would be theirs, in squares, each by how much there is of
    it.
    """
    sums = dict.fromkeys(sizes, 0.0)
    for places, values in blocks:
        for group, begin, end in places:
            sums[group] += sum(values[begin:end])
    return sum(found * found / sizes[group] for group, found in sums.items())


def _shuffle(values: list[float], rng: Random) -> None:
    """As Fisher and Yates; `Random.random` alone is the same in every version of Python."""
    for last in range(len(values) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        values[last], values[other] = values[other], values[last]
