"""Share of rounds that each seat stops, at a table with level round trips, and at one that favours
a seat.

`scripts/level_shares` plays 10,000 rounds at each table. A test plays a sample.
"""

import argparse
import sys
from collections import Counter
from math import erfc, exp, pi, sqrt

from simulation.models import TableModel
from simulation.models.run import run_rounds
from table.match.latency_equalizer import LatencyEqualizer

LATENCIES = (0.2, 0.2, 0.2, 0.05)  # one way, in think times: the last seat sits next to the table
LEVEL = 0.4  # of a round trip


class Favouring(LatencyEqualizer):
    """Table that delays the messages of the nearest seat half as long as it should."""

    def each_way(self, trip: float | None) -> float:
        return super().each_way(trip) * (0.5 if trip is not None and trip < LEVEL / 2 else 1)


def made_of(level: LatencyEqualizer) -> tuple[float, ...]:
    """Return the distances of the seats as they appear to them: half the time from a record to the
    accepted answer.
    """
    level.stored(1, 0.0)
    cycles = []
    for seat, latency in enumerate(LATENCIES):
        arrives = level.due_out(1, 2 * latency) + latency
        cycles.append(level.due_in(seat, 2 * latency, arrives + latency))
    return tuple(cycle / 2 for cycle in cycles)


def stops(latencies: tuple[float, ...], rounds: int, seed: int = 1) -> list[int]:
    """Return the number of rounds that each seat has stopped."""
    found = Counter(
        each.stop
        for each in run_rounds(TableModel(seats=len(latencies), latency=latencies), seed, rounds)
    )
    return [found[seat] for seat in range(len(latencies))]


def p_value(stops: list[int]) -> float:
    """Return the p-value that four counts are equal: chi-square with three degrees of freedom."""
    assert len(stops) == 4
    fair = sum(stops) / 4
    value = sum((count - fair) ** 2 / fair for count in stops)
    return erfc(sqrt(value / 2)) + sqrt(2 * value / pi) * exp(-value / 2)


TABLES = {
    "as it is": LatencyEqualizer(0.0),
    "level": LatencyEqualizer(LEVEL),
    "one seat held less": Favouring(LEVEL),
}


def main() -> None:
    """Print shares and p-value for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000)
    args = parser.parse_args()
    for name, level in TABLES.items():
        found = stops(made_of(level), args.rounds)
        shares = " ".join(f"{count / sum(found):.3f}" for count in found)
        sys.stdout.write(f"{name:18} {shares}  p = {p_value(found):.2g}\n")


if __name__ == "__main__":
    main()
