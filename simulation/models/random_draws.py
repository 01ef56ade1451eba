"""Random draws that Python and numba make alike, bit for bit.

The generator is MT19937 (M. Matsumoto, T. Nishimura: "Mersenne Twister", ACM TOMACS 8, 1998), as in
`random.Random`; only its `random()` is used. Think times are interpolated between quantiles that
Python computes once, because logarithms and exponentials of two libraries may differ in the last
bit. Sums, products and comparisons of doubles may not (IEEE 754).
"""

from functools import lru_cache
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist

from simulation.models import CARDS

CELLS = 4096  # equally likely parts of the distribution of think times


@lru_cache(maxsize=16)
def quantiles(cv: float) -> tuple[float, ...]:
    """Bounds of the cells of a log-normal distribution with mean 1; uniform within each cell.

    The first and the last bound are chosen so that the means of their cells are right. Bounds are
    rounded to 2^-32, so that the last bits of a machine's library do not matter.
    """
    if cv <= 0:
        return (1.0,) * (CELLS + 1)
    sigma = sqrt(log(1 + cv * cv))
    normal = NormalDist()
    at = [normal.inv_cdf(part / CELLS) for part in range(1, CELLS)]
    inner = [exp(sigma * z - sigma * sigma / 2) for z in at]
    lowest = 2 * CELLS * normal.cdf(at[0] - sigma) - inner[0]
    highest = 2 * CELLS * normal.cdf(sigma - at[-1]) - inner[-1]
    return tuple(round(bound * 2**32) / 2**32 for bound in (lowest, *inner, highest))


def shuffled(random: Random) -> list[int]:
    """Shuffle a deck (R. Durstenfeld, Algorithm 235, CACM 7, 1964)."""
    deck = list(range(CARDS))
    draw = random.random
    for last in range(CARDS - 1, 0, -1):
        at = int(draw() * (last + 1))
        deck[last], deck[at] = deck[at], deck[last]
    return deck
