"""Ligretto at a table, four seats over TCP: how long an act is on its way to all, and how many
there can be a second.

The table is a process, and so are the four seats together. An act is a lay or a flip; with each a
place is turned up by a share and its proof, which all four check.
"""

import json

from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import line, program, table

THINK = 1.0  # seconds, of each seat: four acts a second
TERMS = ("--game", "ligretto", "--seats", "4", "--option", "rounds=1", "--option", "target=1000")


def measure(seconds: int) -> dict[str, float]:
    """Of so many seconds of a round at four acts a second, and of the rest of it without
    thinking.
    """
    with (
        table(*TERMS) as (_, link),
        program("scripts.benchmarks.ligretto_seats", str(link), str(THINK), str(seconds)) as seats,
    ):
        found = json.loads(line(seats))
    return {
        "ligretto_lay_p50_ms": 1000 * quantile(found["times"], 0.5),
        "ligretto_lay_p99_ms": 1000 * quantile(found["times"], 0.99),
        "ligretto_entries_per_s": found["acts"] / found["seconds"],
        "ligretto_entries_late": found["late"] / found["acts"],
    }
