"""Command line of `scripts/ledger_growth`: seconds of work on sets of records of growing size,
honest and as hard as possible.
"""

import argparse
import gc
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.ledger.records import LedgerRecord
from tests.properties.ledger.growth import HONEST, SHAPES
from tests.properties.ledger.growth_work import WORKS


def main() -> None:
    """Print a table for each kind of work."""
    parser = argparse.ArgumentParser(prog="scripts/ledger_growth", description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--work", nargs="+", choices=WORKS, default=list(WORKS))
    asked = parser.parse_args()
    print("| records | shape | MB |" + "".join(f" {name} s |" for name in asked.work))
    print("| ---: | --- | ---: |" + " ---: |" * len(asked.work))
    took: dict[tuple[int, str, str], float] = {}
    for many in asked.records:
        for shape in asked.shapes:
            records = SHAPES[shape](many)
            for work in asked.work:
                took[many, shape, work] = _seconds(work, records)
            size = sum(len(record.raw) for record in records) / 1_000_000
            cells = "".join(f" {took[many, shape, work]:.2f} |" for work in asked.work)
            print(f"| {many:,} | {shape} | {size:.1f} |{cells}", flush=True)
    for work in asked.work:
        _print_ratios(asked, work, took)


def _seconds(work: str, records: list[LedgerRecord]) -> float:
    with TemporaryDirectory() as folder:
        done = WORKS[work](records, Path(folder))
        gc.collect()
        begun = time.process_time()
        done()
        return time.process_time() - begun


def _print_ratios(
    asked: argparse.Namespace, work: str, took: dict[tuple[int, str, str], float]
) -> None:
    """Print how much the work grows, and how much harder the worst shape is than an honest one."""
    steps = zip(asked.records, asked.records[1:], strict=False)
    growth = {
        (more, shape): took[more, shape, work] / max(took[few, shape, work], 0.01)
        for few, more in steps
        for shape in asked.shapes
    }
    if growth:
        (more, shape), most = max(growth.items(), key=lambda item: item[1])
        print(f"{work}: grows at most {most:.1f} times ({shape}, {more:,})")
    honest = [shape for shape in asked.shapes if shape in HONEST]
    for many in asked.records if honest else ():
        worst = max(asked.shapes, key=lambda shape: took[many, shape, work])
        ratio = took[many, worst, work] / max(took[many, honest[0], work], 0.01)
        print(f"{work}: worst over honest {ratio:.1f} ({worst}, {many:,})")


if __name__ == "__main__":
    main()
