"""Rounds of Ligretto's models on one core, in CPU seconds: four seats by the reference and compiled; 10,000 machines.

The machines have six neighbours each and play to the stop, by instants. Memory is what the reference takes at most,
measured in a run of its own, and shared among the players.
"""

import time
import tracemalloc

from table.simulation.models import Machines, Model, Table
from table.simulation.models.run import run

FASTER = 10  # times as many rounds are compiled ones
MANY = 10_000


def seconds(model: Model, rounds: int, *, fast: bool) -> float:
    """What so many rounds take."""
    begun = time.process_time()
    for _ in run(model, 1, rounds, fast=fast):
        pass
    return time.process_time() - begun


def kb_each(players: int) -> float:
    """Of the reference, for each player; it does not depend on how long they play."""
    model = Machines(players, instants=True, to_end=False)
    tracemalloc.start()
    try:
        list(run(model, 1, 1))
        return tracemalloc.get_traced_memory()[1] / players / 1000
    finally:
        tracemalloc.stop()


def measure(rounds: int) -> dict[str, float]:
    """Over so many by the reference."""
    list(run(Table(), 1, 1, fast=True))  # numba loads, or compiles
    many = Machines(MANY, instants=True, to_end=False)
    return {
        "ligretto_rounds_per_s": rounds / seconds(Table(), rounds, fast=False),
        "ligretto_rounds_per_s_science": FASTER * rounds / seconds(Table(), FASTER * rounds, fast=True),
        "ligretto_10k_s": seconds(many, 1, fast=False),
        "ligretto_10k_kb_each": kb_each(MANY),
    }
