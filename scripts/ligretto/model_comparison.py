"""Comparison of the Python model and the model compiled by numba, round by round over many
seeds.
"""

from random import Random

from simulation.models import MachinesModel, Model, TableModel
from simulation.models.run import run_rounds


def random_model(random: Random) -> Model:
    """Choose a random setting."""
    if random.random() < 0.8:
        seats = random.randint(2, 9)
        return TableModel(
            seats,
            random.randint(3, 5),
            think=tuple(random.uniform(0.3, 4) for _ in range(random.randint(0, seats))),
            cv=random.choice((0.0, 0.5, 1.2)),
            latency=tuple(
                random.choice((0.0, random.uniform(0, 2))) for _ in range(random.randint(0, seats))
            ),
            level=random.choice((0.0, 0.1)),
            windows=random.choice((0.0, 0.0, 0.5)),
            late_news=random.random() < 0.3,
            rescues=random.choice((0, 2, 10)),
        )
    return MachinesModel(
        random.randint(2, 16),
        random.randint(3, 5),
        look=random.random() < 0.5,
        delta=random.choice((0.0, 60.0, 2000.0)),
        instants=random.random() < 0.5,
        to_end=random.random() < 0.8,
    )


def differing_seeds(seeds: range) -> list[tuple[int, Model]]:
    """Return the seeds, each with its own random setting, for which the two models play different
    rounds.
    """
    found = []
    for seed in seeds:
        model = random_model(Random(seed))
        if list(run_rounds(model, seed, 1, fast=True)) != list(run_rounds(model, seed, 1)):
            found.append((seed, model))
    return found
