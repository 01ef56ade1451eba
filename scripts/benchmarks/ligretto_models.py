"""Rounds of Ligretto's models on one core, in CPU seconds: four seats by the reference and
compiled; 10,000 machines.

The machines have six neighbours each and play to the stop, by instants, in a process of their own.
Memory is what that takes at most beyond what it has before, shared among the players.
"""

import re
import subprocess
import time
from pathlib import Path

from commandline.children import python_child
from simulation.models import MachinesModel, Model, TableModel
from simulation.models.run import run_rounds

FASTER = 10  # times as many rounds are compiled ones
MANY = 10_000
_ALONE = "from scripts.benchmarks.ligretto_models import many; print(*many())"


def seconds(model: Model, rounds: int, *, fast: bool) -> float:
    """What so many rounds take."""
    begun = time.process_time()
    for _ in run_rounds(model, 1, rounds, fast=fast):
        pass
    return time.process_time() - begun


def many() -> tuple[float, float]:
    """Seconds of a round of all machines, and kilobytes for each; in a process that has done
    nothing else.
    """
    before = _most_kb()
    taken = seconds(MachinesModel(MANY, instants=True, to_end=False), 1, fast=False)
    return taken, (_most_kb() - before) / MANY


def _most_kb() -> float:
    """What this process has had at most so far."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1.024 * int(found[1])  # the system's are 1,024 bytes


def measure(rounds: int) -> dict[str, float]:
    """Over so many by the reference."""
    list(run_rounds(TableModel(), 1, 1, fast=True))  # numba loads, or compiles
    child = python_child("-c", _ALONE)
    alone = subprocess.run(
        child.command, env=child.environ, capture_output=True, text=True, check=True
    )
    of_many, kb_each = map(float, alone.stdout.split())
    return {
        "ligretto_rounds_per_s": rounds / seconds(TableModel(), rounds, fast=False),
        "ligretto_rounds_per_s_science": FASTER
        * rounds
        / seconds(TableModel(), FASTER * rounds, fast=True),
        "ligretto_10k_s": of_many,
        "ligretto_10k_kb_each": kb_each,
    }
