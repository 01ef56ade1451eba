"""Measures of rounds, their standard errors, and comparison with published numbers."""

from collections.abc import Callable, Sequence
from math import sqrt
from statistics import mean, median, pstdev, stdev
from typing import NamedTuple

from simulation.models import Model, RoundResult
from simulation.models.run import run_rounds

Measure = Callable[[Sequence[RoundResult]], float]
BATCHES = 40  # parts of a sample; the standard error comes from their spread
# permitted difference of two numbers in standard errors; with t of 39 degrees, chance exceeds it
# once in 80,000 comparisons
SIGMAS = 5.0


def stopped_rounds(rounds: Sequence[RoundResult]) -> list[RoundResult]:
    """Return the rounds that a player has stopped."""
    return [one for one in rounds if one.stop is not None]


def gridlock(rounds: Sequence[RoundResult]) -> float:
    """Return the share of rounds that nobody has stopped."""
    return 1 - len(stopped_rounds(rounds)) / len(rounds)


def length(rounds: Sequence[RoundResult]) -> float:
    """Return the mean time until the stop, in mean think times."""
    return mean(one.duration for one in stopped_rounds(rounds))


def length_sd(rounds: Sequence[RoundResult]) -> float:
    """Return the standard deviation of the time until the stop."""
    return pstdev(one.duration for one in stopped_rounds(rounds))


def milliseconds(rounds: Sequence[RoundResult]) -> float:
    """Return the median time until the stop, in milliseconds."""
    return median(one.duration for one in stopped_rounds(rounds)) / 1000


def attempts(rounds: Sequence[RoundResult]) -> float:
    """Return the mean number of attempted lays in a round."""
    return mean(sum(one.attempts) for one in rounds)


def late(rounds: Sequence[RoundResult]) -> float:
    """Return the share of attempted lays that were late."""
    return sum(sum(one.late) for one in rounds) / sum(sum(one.attempts) for one in rounds)


def flips(rounds: Sequence[RoundResult]) -> float:
    """Return the mean number of flips in a round."""
    return mean(sum(one.flips) for one in rounds)


def winner_laid(rounds: Sequence[RoundResult]) -> float:
    """Return the mean number of cards laid by the player that stops."""
    return mean(one.laid[one.stop or 0] for one in stopped_rounds(rounds))


def winner_best(rounds: Sequence[RoundResult]) -> float:
    """Return the share of rounds in which no player has more points than the one that stops."""
    return mean(one.points[one.stop or 0] == max(one.points) for one in stopped_rounds(rounds))


def first_seat(rounds: Sequence[RoundResult]) -> float:
    """Return the first seat's share of the stops."""
    return mean(one.stop == 0 for one in stopped_rounds(rounds))


def first_tenth(rounds: Sequence[RoundResult]) -> float:
    """Return the share of stops by the first tenth of the players."""
    return mean(10 * (one.stop or 0) < len(one.laid) for one in stopped_rounds(rounds))


def first_half(rounds: Sequence[RoundResult]) -> float:
    """Return the share of stops by the first half of the players."""
    return mean(2 * (one.stop or 0) < len(one.laid) for one in stopped_rounds(rounds))


def after_stop(rounds: Sequence[RoundResult]) -> float:
    """Return the mean number of lays after the stop."""
    return mean(one.after_stop for one in rounds)


def lays(rounds: Sequence[RoundResult]) -> float:
    """Return the mean number of lays in a round that were not undone."""
    return mean(sum(one.laid) for one in rounds)


def calls_a_lay(rounds: Sequence[RoundResult]) -> float:
    """Return the calls to neighbours per lay. The rounds must end with the stop."""
    return sum(sum(one.attempts) for one in rounds) / sum(sum(one.laid) for one in rounds)


def calls_each(rounds: Sequence[RoundResult]) -> float:
    """Return the calls to neighbours per player until the stop."""
    return mean(mean(one.attempts) for one in rounds)


class Found(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float


def found(measure: Measure, rounds: Sequence[RoundResult]) -> Found:
    """Calculate a measure. Its standard error comes from the spread between parts of the sample."""
    size = len(rounds) // BATCHES
    parts = [rounds[at : at + size] for at in range(0, size * BATCHES, size)]
    values = [measure(part) for part in parts if stopped_rounds(part)]
    return Found(measure(rounds), stdev(values) / sqrt(len(values)))


class Published(NamedTuple):
    """A published number, with the number of rounds behind it."""

    text: str
    rounds: int

    def agrees(self, ours: Found, rounds: int) -> bool:
        """Check that chance and rounding explain the difference to `ours`, a result of `rounds`
        rounds.
        """
        decimals = len(self.text.partition(".")[2])
        value = float(self.text)
        theirs = ours.error * sqrt(rounds / self.rounds)
        if not ours.error:  # a share of 0 or 1
            theirs = sqrt(max(0.0, value * (1 - value)) / self.rounds)
        return (
            abs(ours.value - value)
            <= SIGMAS * sqrt(ours.error**2 + theirs**2) + 0.5 / 10**decimals + 1e-9
        )


def play_rounds(model: Model, rounds: int, seed: int = 1) -> list[RoundResult]:
    """Play rounds of a model, compiled if possible."""
    return list(run_rounds(model, seed, rounds, fast=True))
