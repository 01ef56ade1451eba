"""The rounds of a task, one after the other, and what they come to."""

from collections.abc import Callable, Iterable

from simulation.models import Round
from simulation.models.run import run
from simulation.report import Report
from simulation.report.aggregation import Tally
from simulation.task import Task

Hear = Callable[[int], None]  # how many rounds have been played


def played(task: Task, hear: Hear, *, fast: bool = False) -> Report:
    """All rounds, by the model. On Ctrl-C those so far. Raises: ImportError if what `fast` needs is
    not there.
    """
    return counted(task, run(task.model, task.seed, task.rounds, fast=fast), hear)


def counted(task: Task, rounds: Iterable[Round], hear: Hear) -> Report:
    """What these rounds come to; on Ctrl-C those so far."""
    tally = Tally(task)
    try:
        for round_ in rounds:
            tally.add(round_)
            hear(tally.played)
    except KeyboardInterrupt:
        """What has been played has been counted."""
    return tally.report()
