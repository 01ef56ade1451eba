"""Measure fairdeal on this machine, in six minutes or less: medians, and ratios to a baseline in the same run."""

import argparse
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

from scripts.benchmarks.sections import SECTIONS, measure


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
    parser.add_argument(
        "--quick", action="store_true", help="the same figures in three minutes, of fewer repetitions: rougher"
    )
    args = parser.parse_args()
    measures: dict[str, float] = {}
    begun = time.monotonic()
    for name in args.only or SECTIONS:
        section = SECTIONS[name]
        print(
            f"{name}: {section.quick if args.quick else section.full} {section.unit} ...", file=sys.stderr, flush=True
        )
        found = measure(name, args.quick)
        measures |= found
        for key, value in found.items():
            print(f"  {key:40} {value:,.4g}", flush=True)
        print(f"  {time.monotonic() - begun:.0f} s since the beginning", file=sys.stderr, flush=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    if args.json:
        args.json.write_text(
            json.dumps({"measures": measures, "machine": machine(), "commit": commit}, indent=2) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
