"""Speed of the models of Ligretto on one core, in CPU seconds: four seats in Python and compiled,
and 10,000 machines.

The machines have six neighbours each, begin at a fixed instant, and play until somebody stops, in a
process of their own. Memory is the additional peak memory, divided by the number of players.
"""

import re
import subprocess
import time
from pathlib import Path

from commandline.children import python_child
from simulation.models import MachinesModel, Model, TableModel
from simulation.models.run import run_rounds

FASTER = 10  # factor for the number of compiled rounds
MANY = 10_000
_ALONE = (
    "from scripts.benchmarks.ligretto_models import measure_machines; print(*measure_machines())"
)


def seconds(model: Model, rounds: int, *, fast: bool) -> float:
    """Return the seconds for `rounds` rounds."""
    begun = time.process_time()
    for _ in run_rounds(model, 1, rounds, fast=fast):
        pass
    return time.process_time() - begun


def measure_machines() -> tuple[float, float]:
    """Return the seconds for a round of all machines, and kilobytes for each machine, measured in a
    new process.
    """
    before = _most_kb()
    taken = seconds(MachinesModel(MANY, instants=True, to_end=False), 1, fast=False)
    return taken, (_most_kb() - before) / MANY


def _most_kb() -> float:
    """Return the peak memory of this process so far."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1.024 * int(found[1])  # the system counts in units of 1,024 bytes


def measure(rounds: int) -> dict[str, float]:
    """Measure `rounds` rounds of the model in Python, and more of the others."""
    list(run_rounds(TableModel(), 1, 1, fast=True))  # loads numba, and compiles if needed
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
