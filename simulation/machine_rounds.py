"""The rounds of a task by real processes over NATS, one after the other, instead of by the
model.
"""

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
    """The task as it is for real machines. Raises: LocalError if it sets what these cannot be
    told.
    """
    usual = MachinesModel()
    wrong = [name for name in OF_THE_MODEL if getattr(task.model, name) != getattr(usual, name)]
    if wrong:
        raise LocalError("simulate.wrong.measured", names=or_phrase(wrong))
    return replace(task, measured=True)


def rounds_over_nats(
    task: SimulationTask, url: str, processes: int, tell: Callable[[Phrase], None]
) -> Iterator[RoundResult]:
    """All rounds, the cards of each by the next seed; a void one is told, and is the last.

    Raises: ImportError without the extra `cluster`; LocalError if none can be played there.
    """
    from simulation.machines.processes.launcher import ProcessPlan, play

    model = task.model
    assert isinstance(model, MachinesModel)
    for seed in range(task.seed, task.seed + task.rounds):
        random = Random(seed)  # the cards of a calculation, which the seed gives again
        decks = model.decks or tuple(tuple(shuffled(random)) for _ in range(model.players))
        cluster = ProcessPlan(url, processes, "look" if model.look else "blind")
        outcome = asyncio.run(play(RoundPlan(decks, model.row, model.instants), cluster))
        if isinstance(outcome, VoidRound):
            tell(void_phrase(outcome, seed))
            return
        yield as_round(outcome)
