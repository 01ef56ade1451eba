"""Running sums over the rounds of a simulation. Of a single round, only its length is kept."""

from array import array
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

from simulation.models import RoundResult, TableModel
from simulation.report import RankTest, Report, SeatGroup
from simulation.report.statistics import Estimate, Z, evenness, mean, share, spread
from simulation.task import SimulationTask

ALONE = 12  # most seats that are reported one by one
TENTHS = 10  # groups, if there are more seats


class RunningSums:
    """Count, sum, and sum of squares of a number of each round."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.squares = 0.0

    def add(self, number: float) -> None:
        self.count += 1
        self.total += number
        self.squares += number * number

    @property
    def estimate(self) -> Estimate:
        """Mean with its interval."""
        return mean(self.count, self.total, self.squares)[0]


class RunningRatio:
    """Ratio of two numbers of each round, `part` to `whole`, over all rounds."""

    def __init__(self) -> None:
        self.part = RunningSums()
        self.whole = RunningSums()
        self.both = 0.0

    def add(self, part: float, whole: float) -> None:
        self.part.add(part)
        self.whole.add(whole)
        self.both += part * whole

    @property
    def estimate(self) -> Estimate:
        """Ratio with its interval by W. G. Cochran ("Sampling Techniques", 1977, 6.4). Rounds are
        independent of each other; lays in a round are not.
        """
        count = self.part.count
        whole = self.whole.total
        if not whole:
            return Estimate(None)
        ratio = self.part.total / whole
        if count < 2:
            return Estimate(ratio)
        squares = self.part.squares - 2 * ratio * self.both + ratio * ratio * self.whole.squares
        reach = Z * sqrt(max(0.0, squares) * count / (count - 1)) / whole
        return Estimate(ratio, max(0.0, ratio - reach), min(1.0, ratio + reach))


class GroupSums:
    """Sums over the seats of a group."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.points = RunningSums()
        self.laid = RunningSums()
        self.late = RunningRatio()

    def add(self, round_: RoundResult) -> None:
        here = slice(self.first, self.last + 1)
        size = self.last + 1 - self.first
        self.points.add(sum(round_.points[here]) / size)
        self.laid.add(sum(round_.laid[here]) / size)
        self.late.add(sum(round_.late[here]), sum(round_.attempts[here]))


class RoundTally:
    """Sums over the rounds of one simulation."""

    def __init__(self, task: SimulationTask) -> None:
        self._task = task
        self._groups = [GroupSums(*ends) for ends in _ends(task.seats)]
        self._stops = [0] * task.seats
        self._lengths = array("d")
        self._rescues, self._attempts, self._laid, self._flips, self._after = (
            RunningSums() for _ in range(5)
        )
        self._late = RunningRatio()
        self._winner_laid = RunningSums()
        self._first = 0

    @property
    def played(self) -> int:
        """Number of rounds so far."""
        return len(self._lengths)

    def add(self, round_: RoundResult) -> None:
        self._lengths.append(round_.duration)
        attempts = sum(round_.attempts)
        self._rescues.add(round_.rescues)
        self._attempts.add(attempts)
        self._laid.add(sum(round_.laid))
        self._flips.add(sum(round_.flips))
        self._after.add(round_.after_stop)
        self._late.add(sum(round_.late), attempts)
        for group in self._groups:
            group.add(round_)
        if round_.stop is not None:
            self._stops[round_.stop] += 1
            self._winner_laid.add(round_.laid[round_.stop])
            self._first += round_.points[round_.stop] == max(round_.points)

    def report(self) -> Report:
        """Report the rounds so far."""
        stops = sum(self._stops)
        laid = self._laid.total
        return Report(
            task=self._task,
            played=self.played,
            stopped=share(stops, self.played),
            rescues=self._rescues.estimate,
            length=spread(self._lengths),
            attempts=self._attempts.estimate,
            laid=self._laid.estimate,
            tried_per_lay=self._attempts.total / laid if laid else None,
            late=self._late.estimate,
            flips=self._flips.estimate,
            after_stop=self._after.estimate,
            winner_laid=self._winner_laid.estimate,
            winner_first=share(self._first, stops),
            groups=tuple(self._group(group) for group in self._groups),
            ranks=tuple(self._ranks()),
        )

    def _group(self, sums: GroupSums) -> SeatGroup:
        here = slice(sums.first, sums.last + 1)
        seats = self._task.seats
        size = sums.last + 1 - sums.first
        model = self._task.model
        times: dict[str, float] = {}
        if isinstance(model, TableModel):
            times = {
                "think": sum(filled(model.think, seats, 1.0)[here]) / size,
                "latency": sum(filled(model.latency, seats, 0.0)[here]) / size,
            }
        return SeatGroup(
            sums.first,
            sums.last,
            size / seats,
            share(sum(self._stops[here]), sum(self._stops)),
            sums.points.estimate,
            sums.laid.estimate,
            sums.late.estimate,
            **times,
        )

    def _ranks(self) -> list[RankTest]:
        """Test the order of places, and each setting that differs between the seats of a table.
        Equal values keep the order of places.
        """
        model = self._task.model
        seats = self._task.seats
        found = [RankTest("place", evenness(self._stops))]
        if isinstance(model, TableModel):
            for by, each in (
                ("think", filled(model.think, seats, 1.0)),
                ("latency", filled(model.latency, seats, 0.0)),
            ):
                if len(set(each)) > 1:
                    order = sorted(range(seats), key=each.__getitem__)
                    found.append(RankTest(by, evenness([self._stops[seat] for seat in order])))
        return found


def filled(given: Sequence[float], seats: int, usual: float) -> list[float]:
    """Fill up a tuple of times to one for each seat."""
    return [*given, *[usual] * (seats - len(given))][:seats]


def _ends(seats: int) -> list[tuple[int, int]]:
    """First and last seat of each group."""
    groups = seats if seats <= ALONE else TENTHS
    starts = [seats * group // groups for group in range(groups + 1)]
    return [(first, after - 1) for first, after in pairwise(starts)]
