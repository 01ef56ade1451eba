"""What is measured of rounds, how surely, and whether it agrees with what others have found."""

from collections.abc import Callable, Sequence
from math import sqrt
from statistics import mean, median, pstdev, stdev
from typing import NamedTuple

from simulation.models import Model, RoundResult
from simulation.models.run import run_rounds

Measure = Callable[[Sequence[RoundResult]], float]
BATCHES = 40  # parts of a sample, whose spread says how sure a number is
# by which two numbers may differ: with t of 39 degrees chance exceeds it once in 80,000 comparisons
SIGMAS = 5.0


def stopped(rounds: Sequence[RoundResult]) -> list[RoundResult]:
    """Those that somebody has."""
    return [one for one in rounds if one.stop is not None]


def gridlock(rounds: Sequence[RoundResult]) -> float:
    """The share of rounds that nobody has stopped."""
    return 1 - len(stopped(rounds)) / len(rounds)


def length(rounds: Sequence[RoundResult]) -> float:
    """Until the stop, on the average."""
    return mean(one.duration for one in stopped(rounds))


def length_sd(rounds: Sequence[RoundResult]) -> float:
    """Its standard deviation."""
    return pstdev(one.duration for one in stopped(rounds))


def milliseconds(rounds: Sequence[RoundResult]) -> float:
    """Until the stop, median."""
    return median(one.duration for one in stopped(rounds)) / 1000


def attempts(rounds: Sequence[RoundResult]) -> float:
    """Lays tried in a round."""
    return mean(sum(one.attempts) for one in rounds)


def late(rounds: Sequence[RoundResult]) -> float:
    """The share of them that was late."""
    return sum(sum(one.late) for one in rounds) / sum(sum(one.attempts) for one in rounds)


def flips(rounds: Sequence[RoundResult]) -> float:
    """In a round."""
    return mean(sum(one.flips) for one in rounds)


def winner_laid(rounds: Sequence[RoundResult]) -> float:
    """Cards of who stops."""
    return mean(one.laid[one.stop or 0] for one in stopped(rounds))


def winner_best(rounds: Sequence[RoundResult]) -> float:
    """How often nobody has more points than who stops."""
    return mean(one.points[one.stop or 0] == max(one.points) for one in stopped(rounds))


def first_seat(rounds: Sequence[RoundResult]) -> float:
    """Its share of the stops."""
    return mean(one.stop == 0 for one in stopped(rounds))


def first_tenth(rounds: Sequence[RoundResult]) -> float:
    """The share of stops by the first tenth of the players."""
    return mean(10 * (one.stop or 0) < len(one.laid) for one in stopped(rounds))


def first_half(rounds: Sequence[RoundResult]) -> float:
    """The share of stops by the first half of the players."""
    return mean(2 * (one.stop or 0) < len(one.laid) for one in stopped(rounds))


def after_stop(rounds: Sequence[RoundResult]) -> float:
    """Lays made after the stop."""
    return mean(one.after_stop for one in rounds)


def lays(rounds: Sequence[RoundResult]) -> float:
    """All of a round that were not undone."""
    return mean(sum(one.laid) for one in rounds)


def calls_a_lay(rounds: Sequence[RoundResult]) -> float:
    """To neighbours, of rounds that are not played on after the stop."""
    return sum(sum(one.attempts) for one in rounds) / sum(sum(one.laid) for one in rounds)


def calls_each(rounds: Sequence[RoundResult]) -> float:
    """To neighbours, of one player until the stop."""
    return mean(mean(one.attempts) for one in rounds)


class Found(NamedTuple):
    """A number, and its standard error."""

    value: float
    error: float


def found(measure: Measure, rounds: Sequence[RoundResult]) -> Found:
    """With the error that the spread of its values in parts of the sample suggests."""
    size = len(rounds) // BATCHES
    parts = [rounds[at : at + size] for at in range(0, size * BATCHES, size)]
    values = [measure(part) for part in parts if stopped(part)]
    return Found(measure(rounds), stdev(values) / sqrt(len(values)))


class Published(NamedTuple):
    """A number as it stands elsewhere, of so many rounds."""

    text: str
    rounds: int

    def agrees(self, ours: Found, rounds: int) -> bool:
        """Whether chance and rounding explain the difference to ours, found in so many rounds."""
        decimals = len(self.text.partition(".")[2])
        value = float(self.text)
        theirs = ours.error * sqrt(rounds / self.rounds)
        if not ours.error:  # a share of all or nothing
            theirs = sqrt(max(0.0, value * (1 - value)) / self.rounds)
        return (
            abs(ours.value - value)
            <= SIGMAS * sqrt(ours.error**2 + theirs**2) + 0.5 / 10**decimals + 1e-9
        )


def played(model: Model, rounds: int, seed: int = 1) -> list[RoundResult]:
    """Rounds of a model, compiled where that is possible."""
    return list(run_rounds(model, seed, rounds, fast=True))
