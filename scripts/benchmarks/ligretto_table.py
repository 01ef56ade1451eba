"""Ligretto at a table with four seats over TCP: time until an act has reached all seats, and acts
per second.

The table is a process, and the four seats share another. An act is a lay or a flip. Each act turns
up a card by a share with its proof, which all four seats check.
"""

import json

from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import read_line, run_program, run_table

THINK = 1.0  # seconds for each seat, so four acts per second
TERMS = ("--game", "ligretto", "--seats", "4", "--option", "rounds=1", "--option", "target=1000")


def measure(seconds: int) -> dict[str, float]:
    """Measure `seconds` seconds of a round with four acts per second, and the rest of the round
    without thinking.
    """
    with (
        run_table(*TERMS) as (_, link),
        run_program(
            "scripts.benchmarks.ligretto_seats", str(link), str(THINK), str(seconds)
        ) as seats,
    ):
        found = json.loads(read_line(seats))
    return {
        "ligretto_lay_p50_ms": 1000 * quantile(found["times"], 0.5),
        "ligretto_lay_p99_ms": 1000 * quantile(found["times"], 0.99),
        "ligretto_entries_per_s": found["acts"] / found["seconds"],
        "ligretto_entries_late": found["late"] / found["acts"],
    }
