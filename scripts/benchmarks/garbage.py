"""The stops of a table by garbage collection: processor time of each, by thresholds, while many
matches run; fails if the longest is above the bound.

Each run is a process: it holds matches in memory as a table does, without sockets, folds entries of
all of them in turns, lets some end and begins others. `usual` is Python's own way, `frozen` the table's.
"""

import argparse
import asyncio
import gc
import json
import resource
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from random import Random
from typing import Any

from protocol.limits import GC_THRESHOLDS
from protocol.match.log import Record
from scripts.benchmarks.process import read_line, run_program
from table.match.live_match import LiveMatch
from table.metrics import Histogram
from table.ops.garbage import Collector
from table.signer.signer import Key
from tests.support.offline import make_offline

AT_MOST_SECONDS = 0.020
SEATS = 4
RECORDED, TARGET = 6, 100  # matches that are played again and again, and their points


class Stops:
    """What collections take, by generation."""

    def __init__(self) -> None:
        self.seconds: dict[int, list[float]] = {0: [], 1: [], 2: []}
        self._began = 0.0

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase == "start":
            self._began = time.process_time()
        else:
            self.seconds[info["generation"]].append(time.process_time() - self._began)


def recorded() -> list[tuple[Key, bytes, list[Record]]]:
    """Matches that were played, with what a table needs to go on with them."""
    found = []
    for number in range(RECORDED):
        match = make_offline(SEATS, number, options={"target": TARGET})
        match.play()
        found.append((match.live._identity, match.live.seed, list(match.live.records)))
    return found


async def play(manner: str, thresholds: tuple[int, int, int], seats: int, entries: int) -> None:
    """Hold so many seats' matches and fold so many entries; print the figures."""
    logs, rng = recorded(), Random(1)
    gc.collect()
    histogram = Histogram(())
    collector = Collector(lambda: False, histogram) if manner == "frozen" else None
    if collector is not None:
        gc.set_threshold(*thresholds)
    stops = Stops()
    gc.callbacks.insert(0, stops)
    matches = []
    for number in range(seats // SEATS):
        key, seed, records = logs[number % RECORDED]
        first = rng.randrange(1, len(records) // 4)
        matches.append((LiveMatch.restore(key, seed, records[:first]), records))
    began, ended, played = time.process_time(), 0, 0
    while played < entries:
        for place, (live, records) in enumerate(matches):
            played += 1
            if len(live.entries) < len(records):
                live.take_back(records[len(live.entries) : len(live.entries) + 1])
            else:
                ended += 1
                key, seed, records = logs[ended % RECORDED]
                matches[place] = LiveMatch.restore(key, seed, records[:1]), records
    seconds = time.process_time() - began
    gc.callbacks.remove(stops)
    found = {
        f"longest_gen{generation}_s": max(values, default=0.0)
        for generation, values in stops.seconds.items()
    }
    found |= {
        "collections": float(sum(map(len, stops.seconds.values()))),
        "share_of_time": sum(map(sum, stops.seconds.values())) / seconds,
        "objects": float(len(gc.get_objects()) + gc.get_freeze_count()),
        "ended": float(ended),
        "resident_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if collector is not None:
        collector.close()
    print(json.dumps(found), flush=True)


def main() -> int:
    """0 if no collection of the table's way takes longer than the bound."""
    if sys.argv[1:2] == ["play"]:
        manner, *numbers = sys.argv[2:]
        young, middle, old, seats, entries = map(int, numbers)
        asyncio.run(play(manner, (young, middle, old), seats, entries))
        return 0
    parser = argparse.ArgumentParser(prog="scripts/garbage", description=__doc__)
    parser.add_argument("--seats", type=int, default=2000, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--entries", type=int, default=20_000, metavar="N", help="default: %(default)s"
    )
    parser.add_argument(
        "--thresholds",
        action="append",
        metavar="A,B,C",
        help="also measure these (may be given several times)",
    )
    options = parser.parse_args()
    more = [tuple(map(int, text.split(","))) for text in options.thresholds or ()]
    runs = [("usual", (700, 10, 10)), *(("frozen", each) for each in (*more, GC_THRESHOLDS))]
    longest = 0.0
    for manner, thresholds in runs:
        words = ("play", manner, *map(str, (*thresholds, options.seats, options.entries)))
        with ExitStack() as stack:
            process = stack.enter_context(run_program("scripts.benchmarks.garbage", *words))
            found = json.loads(read_line(process))
        print(f"{manner} {thresholds}")
        for name, value in found.items():
            print(f"  {name:32} {value:,.4g}")
        longest = max(value for name, value in found.items() if name.startswith("longest"))
    fine = longest <= AT_MOST_SECONDS
    print("no stop is long" if fine else f"a stop is LONGER than {AT_MOST_SECONDS} s")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
