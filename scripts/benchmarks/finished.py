"""A table whose folder has many finished matches, against one whose folder has none.

Printed are the seconds from the start of the program until its link is there, and from then until
the first page of the lobby is; medians of rounds in which the two take turns, and their ratios. The
folder is made cheaply: one log file with many names. A table that is started again and finds its
list of matches as it left it is measured, not the first start with a folder of an older version.
"""

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from protocol.match.packed_log import LogPacker
from scripts.benchmarks.hosted import hosted
from table.storage.disk.journal import LOGS, Journal
from table.storage.disk.keys import load_identity
from table.storage.disk.log_files import run_to_end
from tests.support.offline import make_offline
from tests.support.wire_client import WireClient

START_RATIO, PAGE_RATIO = 2.0, 1.5
LINKS = 50_000  # names that a file may have on nearly all file systems


def make_folder(folder: Path, count: int) -> None:
    """Make a table's folder with so many finished matches."""
    offline = make_offline(2, seed=1, game="matches", options={"n": 1}, dealing="none")
    offline.play()
    packer = LogPacker()
    data = b"".join(map(packer.add, offline.live.records)) + packer.finish()
    load_identity(folder)  # a journal without its table's key is refused
    with closing(Journal(folder)) as journal:
        run_to_end(journal.pack_parts())
        rows: list[tuple[bytes, str, int, int]] = []
        source = folder
        for number in range(count):
            match_id = number.to_bytes(4, "big") + bytes(28)
            path = folder / LOGS / f"2026-01-01-{match_id.hex()[:8]}.fairdeal"
            if number % LINKS:
                path.hardlink_to(source)
            else:
                source = path
                source.write_bytes(data)
            rows.append((match_id, path.name, len(data), 1_767_225_600 + number))
        journal.list_finished(rows)


async def _first_page(folder: Path, seed: int) -> tuple[float, float]:
    began = time.perf_counter()
    with hosted(Path.cwd(), data=folder) as (link, _):
        started = time.perf_counter()
        async with await (await WireClient(link, seed, "Ann").connect()).greet() as client:
            await client.send("list")
            await client.expect("tables")
            return started - began, time.perf_counter() - started


def measure(count: int, rounds: int) -> dict[str, float]:
    """Return the medians and their ratios."""
    place = Path(tempfile.mkdtemp(prefix="fairdeal-finished-"))
    try:
        folders = {"none": place / "none", "many": place / "many"}
        make_folder(folders["none"], 0)
        make_folder(folders["many"], count)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in folders}
        for number in range(rounds):
            for name, folder in folders.items():
                times[name].append(asyncio.run(_first_page(folder, number)))
    finally:
        shutil.rmtree(place)
    found: dict[str, float] = {}
    for at, what in enumerate(("start", "page")):
        few, many = (statistics.median(each[at] for each in times[name]) for name in times)
        found |= {f"{what}_none_s": few, f"{what}_many_s": many, f"{what}_ratio": many / few}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 if a ratio is above its bound."""
    parser = argparse.ArgumentParser("scripts/finished_matches", description=__doc__)
    parser.add_argument("--matches", type=int, default=100_000, help="(default: 100000)")
    parser.add_argument("--rounds", type=int, default=7, help="(default: 7)")
    options = parser.parse_args(arguments)
    found = measure(options.matches, options.rounds)
    for name, figure in found.items():
        print(f"{name:15} {figure:8.3f}")
    return int(found["start_ratio"] > START_RATIO or found["page_ratio"] > PAGE_RATIO)


if __name__ == "__main__":
    sys.exit(main())
