"""Rounds of a task by real processes over NATS, instead of by the model."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from protocol.errors import LocalError
from protocol.options import or_phrase
from protocol.view.phrase import Phrase
from simulation.machines.command import void_phrase
from simulation.machines.coordinator import RoundPlan, VoidRound
from simulation.machines.result import as_round
from simulation.models import MachinesModel, RoundResult
from simulation.models.random_draws import shuffled
from simulation.task import SimulationTask
from simulation.task.task_parser import OF_THE_MODEL


def machine_task(task: SimulationTask) -> SimulationTask:
    """Mark a task as measured. Raises: LocalError if the task sets times, which real machines
    cannot obey.
    """
    usual = MachinesModel()
    wrong = [name for name in OF_THE_MODEL if getattr(task.model, name) != getattr(usual, name)]
    if wrong:
        raise LocalError("simulate.wrong.measured", names=or_phrase(wrong))
    return replace(task, measured=True)


def rounds_over_nats(
    task: SimulationTask, url: str, processes: int, tell: Callable[[Phrase], None]
) -> Iterator[RoundResult]:
    """Play all rounds, the decks of each from the next seed. A void round is told by `tell` and
    ends the rounds.

    Raises: ImportError without the extra `cluster`; LocalError if the run cannot start.
    """
    from simulation.machines.processes.launcher import ProcessPlan, play

    model = task.model
    assert isinstance(model, MachinesModel)
    for seed in range(task.seed, task.seed + task.rounds):
        random = Random(seed)  # the decks of a calculation, which a seed must repeat
        decks = model.decks or tuple(tuple(shuffled(random)) for _ in range(model.players))
        cluster = ProcessPlan(url, processes, "look" if model.look else "blind")
        outcome = asyncio.run(play(RoundPlan(decks, model.row, model.instants), cluster))
        if isinstance(outcome, VoidRound):
            tell(void_phrase(outcome, seed))
            return
        yield as_round(outcome)
