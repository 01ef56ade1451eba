"""Measure fairdeal on this machine: medians, and ratios to a baseline in the same run."""

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from scripts.benchmarks import (
    deal,
    entries,
    letters,
    matches,
    memory,
    poker_hands,
    poker_times,
    relay,
    shuffle,
    verified,
)

SECTIONS: dict[str, Callable[[], dict[str, float]]] = {
    "deal": deal.measure,
    "shuffle": shuffle.measure,
    "verified": verified.measure,
    "relay": relay.measure,
    "entries": entries.measure,
    "memory": memory.measure,
    "matches": matches.measure,
    "verified_matches": matches.measure_verified,
    "poker_times": poker_times.measure,
    "poker_hands": poker_hands.measure,
    "letters": letters.measure,
}


def machine() -> str:
    """What this runs on, in a line."""
    model = next(
        (row.split(":")[1].strip() for row in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in row), ""
    )
    return f"{platform.platform()}, Python {platform.python_version()}, {model}"


def main() -> int:
    """Run the sections that were asked for and print each figure as it comes."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument("--only", nargs="+", choices=sorted(SECTIONS), help="measure only these")
    args = parser.parse_args()
    measures: dict[str, float] = {}
    for name in args.only or SECTIONS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found = SECTIONS[name]()
        measures |= found
        for key, value in found.items():
            print(f"  {key:32} {value:,.4g}", flush=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    if args.json:
        args.json.write_text(
            json.dumps({"measures": measures, "machine": machine(), "commit": commit}, indent=2) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
