"""Rounds of a task, played and counted."""

from collections.abc import Callable, Iterable

from simulation.models import RoundResult
from simulation.models.run import run_rounds
from simulation.report import Report
from simulation.report.aggregation import RoundTally
from simulation.task import SimulationTask

OnProgress = Callable[[int], None]  # called with the number of rounds played so far


def play_rounds(task: SimulationTask, hear: OnProgress, *, fast: bool = False) -> Report:
    """Play all rounds by the model and report them; on Ctrl-C, report the rounds so far. Raises:
    ImportError if a package for `fast` is missing.
    """
    return count_rounds(task, run_rounds(task.model, task.seed, task.rounds, fast=fast), hear)


def count_rounds(task: SimulationTask, rounds: Iterable[RoundResult], hear: OnProgress) -> Report:
    """Count rounds and report them; on Ctrl-C, report the rounds so far."""
    tally = RoundTally(task)
    try:
        for round_ in rounds:
            tally.add(round_)
            hear(tally.played)
    except KeyboardInterrupt:
        """What has been played has been counted."""
    return tally.report()
