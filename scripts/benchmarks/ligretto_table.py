"""Ligretto at a table, four seats over TCP: how long an act is on its way to all, and how many there can be a second.

The table is a process, and so are the four seats together. An act is a lay or a flip; with each a place is turned up by
a share and its proof, which all four check.
"""

import json

from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import line, program, table

THINK = 1.0  # seconds, of each seat: four acts a second
AS_LONG_AS_IT_TAKES = 600.0  # seconds


def _play(think: float, rounds: int, seconds: float) -> tuple[list[tuple[int, int, float]], list[float]]:
    """By round acts, late ones and seconds; and the seconds that each act was on its way."""
    terms = ("--game", "ligretto", "--seats", "4", "--option", f"rounds={rounds}", "--option", "target=1000")
    with (
        table(*terms) as (_, link),
        program("scripts.benchmarks.ligretto_seats", str(link), str(think), str(seconds)) as seats,
    ):
        found = json.loads(line(seats))
    return [(acts, late, spent) for acts, late, spent in found["rounds"]], found["times"]


def measure(seconds: int) -> dict[str, float]:
    """Of so many seconds at four acts a second; and of a fifth as many rounds, at least one, without thinking."""
    _, times = _play(THINK, 1, seconds)
    rounds, _ = _play(0, max(1, seconds // 5), AS_LONG_AS_IT_TAKES)
    acts = sum(each[0] for each in rounds)
    return {
        "ligretto_lay_p50_ms": 1000 * quantile(times, 0.5),
        "ligretto_lay_p99_ms": 1000 * quantile(times, 0.99),
        "ligretto_entries_per_s": acts / sum(each[2] for each in rounds),
        "ligretto_entries_late": sum(each[1] for each in rounds) / acts,
    }
