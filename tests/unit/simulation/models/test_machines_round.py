"""The machines and their model (M2) play the same rounds with the same cards and times.

All calls take equally long here, so that nothing is drawn: the two programs draw in different
orders. The times keep events of different players apart. `late` is not compared: the model counts
only a player that was overtaken by one card.
"""

from dataclasses import replace
from random import Random
from statistics import mean

import pytest

from simulation.machines.coordinator import RoundPlan
from simulation.machines.result import as_round
from simulation.machines.strategies import STRATEGIES
from simulation.machines.virtual_time import VirtualRound
from simulation.models import MachinesModel
from simulation.models.random_draws import shuffled
from simulation.models.run import run_rounds

TIMES = {"spread": 0.0, "delta": 61.3713, "own": 0.917, "flip": 1.37}


def decks(players, seed):
    random = Random(seed)
    return tuple(tuple(shuffled(random)) for _ in range(players))


def ours(machines, seed=1):
    plan = RoundPlan(machines.decks, machines.row, machines.instants, patience=200_000)
    strategy = STRATEGIES["look" if machines.look else "blind"]
    return as_round(VirtualRound(plan, strategy, machines, Random(seed).random).play())


@pytest.mark.parametrize(
    ("look", "players", "seed"),
    [(look, players, seed) for look in (False, True) for players in (4, 9) for seed in range(4)]
    + [(True, 25, seed) for seed in range(3)],
)
@pytest.mark.slow
def test_machines_round_equals_model_event_by_event(look, players, seed):
    machines = MachinesModel(players, decks=decks(players, seed), look=look, **TIMES)
    (model,) = run_rounds(machines, seed, 1)
    found = ours(machines)
    assert found.duration == pytest.approx(model.duration, rel=1e-9)
    assert replace(found, duration=0, late=()) == replace(model, duration=0, late=())


@pytest.mark.slow
@pytest.mark.parametrize("look", (False, True), ids=("blind", "look"))
def test_machines_means_match_model_with_drawn_times(look):
    machines = MachinesModel(9, look=look, instants=True)
    rounds = [ours(replace(machines, decks=decks(9, seed)), seed) for seed in range(12)]
    models = list(run_rounds(machines, 1, 60))

    def of(found, value):
        return mean(value(each) for each in found if each.stop is not None)

    for value, within in (
        (lambda each: each.duration, 0.25),
        (lambda each: sum(each.attempts) / sum(each.laid), 0.15),
        (lambda each: each.laid[each.stop], 0.15),
    ):
        assert of(rounds, value) == pytest.approx(of(models, value), rel=within)
