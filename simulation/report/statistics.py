"""Statistics of a sample: shares and means with intervals, distributions, and a test of even
ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, sqrt
from statistics import NormalDist

SURE = 0.95  # confidence of an interval
BARS = 24  # of a histogram
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
TERMS = 100  # of Kolmogorov's series, which converges much earlier
Z = NormalDist().inv_cdf((1 + SURE) / 2)


@dataclass(frozen=True)
class Estimate:
    """A share or a mean with the bounds of its 95 % confidence interval; None without data."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Spread:
    """Distribution of numbers.

    `quantiles` are those of `QUANTILES`. `bars` are counts in equal intervals from `least` to
    `most`.
    """

    mean: Estimate
    deviation: float | None
    least: float | None = None
    most: float | None = None
    quantiles: tuple[float, ...] = ()
    bars: tuple[int, ...] = ()


@dataclass(frozen=True)
class Evenness:
    """Result of a test of even ranks: the largest gap, and the probability of a larger gap by
    chance.
    """

    ranks: int
    seen: int
    gap: float | None = None
    p: float | None = None


def share(count: float, of: float) -> Estimate:
    """Estimate a share with the interval of E. B. Wilson ("Probable inference …", JASA 22, 1927),
    which lies within 0 and 1.
    """
    if of <= 0:
        return Estimate(None)
    part = count / of
    square = Z * Z
    centre = (part + square / (2 * of)) / (1 + square / of)
    reach = Z / (1 + square / of) * sqrt(max(part * (1 - part), 0.0) / of + square / (4 * of * of))
    return Estimate(part, min(max(0.0, centre - reach), part), max(min(1.0, centre + reach), part))


def mean(count: int, total: float, squares: float) -> tuple[Estimate, float | None]:
    """Estimate a mean from sums, with the interval of the normal distribution. Return also the
    standard deviation.
    """
    if not count:
        return Estimate(None), None
    centre = total / count
    if count < 2:
        return Estimate(centre), None
    deviation = sqrt(max(0.0, (squares - total * centre) / (count - 1)))
    reach = Z * deviation / sqrt(count)
    return Estimate(centre, centre - reach, centre + reach), deviation


def spread(numbers: Sequence[float]) -> Spread:
    """Describe a distribution. Each quantile is one of the numbers."""
    if not numbers:
        return Spread(Estimate(None), None)
    ordered = sorted(numbers)
    centre, deviation = mean(
        len(ordered), fsum(ordered), fsum(number * number for number in ordered)
    )
    least = ordered[0]
    most = ordered[-1]
    found = tuple(ordered[min(len(ordered) - 1, int(part * len(ordered)))] for part in QUANTILES)
    bars = [0] * (BARS if most > least else 1)
    for number in ordered:
        bars[min(len(bars) - 1, int((number - least) / ((most - least) or 1.0) * len(bars)))] += 1
    return Spread(centre, deviation, least, most, found, tuple(bars))


def evenness(counts: Sequence[int]) -> Evenness:
    """Test by Kolmogorov and Smirnov that all ranks are equally likely; `counts` are by rank.

    The p-value is that of a continuous distribution, computed as by Press and others ("Numerical
    Recipes", 3rd edition, 14.3.3, after Stephens 1970). For ranks, which are whole numbers, this
    p-value is never too small. So a result of "uneven" is right.
    """
    seen = sum(counts)
    if not seen or len(counts) < 2:
        return Evenness(len(counts), seen)
    below = 0
    gap = 0.0
    for rank, count in enumerate(counts, 1):
        below += count
        gap = max(gap, abs(below / seen - rank / len(counts)))
    scaled = (sqrt(seen) + 0.12 + 0.11 / sqrt(seen)) * gap
    if scaled < 0.2:  # the series converges slowly here, and is 1 to twelve digits
        return Evenness(len(counts), seen, gap, 1.0)
    series = fsum(
        (-1) ** (term - 1) * exp(-2.0 * (term * scaled) ** 2) for term in range(1, TERMS + 1)
    )
    return Evenness(len(counts), seen, gap, min(1.0, max(0.0, 2 * series)))
