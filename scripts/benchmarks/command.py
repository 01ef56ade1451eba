"""Measure fairdeal on this machine in six minutes or less: medians, and ratios to a baseline in the
same run.

Each section prints its amount of work before its figures. `--quick` measures the same figures with
fewer repetitions, so they are less exact. Sections that count, or measure CPU seconds of one
process, then run two at a time. A figure that depends on a size (a log to open, idle connections,
parallel matches) has a smaller size. Compare it with another quick run only.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from scripts.benchmarks.process import PROCESSES
from scripts.benchmarks.sections import BESIDE, SECTIONS, measure

AS_WRITTEN = argparse.RawDescriptionHelpFormatter
AT_ONCE = 2  # parallel sections of a quick run, where this does not disturb the figures


def machine() -> str:
    """Describe this machine in one line."""
    model = next(
        (
            row.split(":")[1].strip()
            for row in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in row
        ),
        "",
    )
    return f"{platform.platform()}, Python {platform.python_version()}, {model}"


def figures(names: Sequence[str], quick: bool) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the name and figures of each section as soon as they are measured."""
    beside = [name for name in BESIDE if quick and name in names]
    if len(beside) > 1:
        with ProcessPoolExecutor(AT_ONCE, PROCESSES) as pool:
            yield from zip(beside, pool.map(partial(measure, quick=True), beside), strict=True)
    for name in names:
        if len(beside) < AT_ONCE or name not in beside:
            yield name, measure(name, quick)


def main() -> int:
    """Run the sections given on the command line, and print each figure when it is measured."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=AS_WRITTEN
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument("--only", nargs="+", choices=sorted(SECTIONS), help="measure only these")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the same figures in a good minute on two idle cores, of less: rougher",
    )
    args = parser.parse_args()
    measures: dict[str, float] = {}
    begun = time.monotonic()
    for name, found in figures(args.only or list(SECTIONS), args.quick):
        section = SECTIONS[name]
        print(
            f"{name}: {section.quick if args.quick else section.full} {section.unit}",
            file=sys.stderr,
            flush=True,
        )
        measures |= found
        for key, value in found.items():
            print(f"  {key:40} {value:,.4g}", flush=True)
        print(
            f"  {time.monotonic() - begun:.0f} s since the beginning", file=sys.stderr, flush=True
        )
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if args.json:
        args.json.write_text(
            json.dumps({"measures": measures, "machine": machine(), "commit": commit}, indent=2)
            + "\n"
        )
    return 0
