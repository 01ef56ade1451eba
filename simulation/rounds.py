"""The rounds of a task, one after the other, and what they come to."""

from collections.abc import Callable, Iterable

from simulation.models import RoundResult
from simulation.models.run import run_rounds
from simulation.report import Report
from simulation.report.aggregation import RoundTally
from simulation.task import SimulationTask

OnProgress = Callable[[int], None]  # how many rounds have been played


def play_rounds(task: SimulationTask, hear: OnProgress, *, fast: bool = False) -> Report:
    """All rounds, by the model. On Ctrl-C those so far. Raises: ImportError if what `fast` needs is
    not there.
    """
    return count_rounds(task, run_rounds(task.model, task.seed, task.rounds, fast=fast), hear)


def count_rounds(task: SimulationTask, rounds: Iterable[RoundResult], hear: OnProgress) -> Report:
    """What these rounds come to; on Ctrl-C those so far."""
    tally = RoundTally(task)
    try:
        for round_ in rounds:
            tally.add(round_)
            hear(tally.played)
    except KeyboardInterrupt:
        """What has been played has been counted."""
    return tally.report()
