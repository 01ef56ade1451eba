"""Processor time of a table for an entry, by process: with 0, 1 and 2 workers, and with the table of
another checkout.

The players are in processes of their own, which are not counted. The busiest process bounds what a
table can do on more cores; the sum is what an entry costs. All combinations are measured in turns,
in the same run, and compared with this checkout without workers.
"""

import argparse
import asyncio
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

import psutil

from protocol.limits import TEXT_KEPT_SECONDS
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.client import connect
from scripts.benchmarks.hosted import hosted
from scripts.benchmarks.load import BOUNDS, TABLES_EACH
from scripts.benchmarks.process import read_line, run_program, send_line
from scripts.benchmarks.scrape import free_port, scrape

CLOCK = Allowance(extensions=3, step=1200, turn=1200)
GAMES = {
    "dominoes": ("block-dominoes", (("target", 1),), "layered", 4),
    "poker": ("texas-holdem", (("hands", 2),), "verified", 4),
    "nim": ("nim", (("rows", "9-9-9-9-9-9-9-9"),), "none", 2),
}


def _terms(name: str) -> list[object]:
    game, options, dealing, seats = GAMES[name]
    terms = make_terms(Selection(game, options), Selection(dealing), CLOCK.options(), seats)
    return encode_terms(terms)


async def one_round(checkout: Path, name: str, workers: int, matches: int) -> dict[str, float]:
    """Play matches at once. Return milliseconds of processor time for an entry: of the busiest
    process, of the front, and of all.
    """
    port, seats = free_port(), GAMES[name][3]
    words = [word for bound in BOUNDS for word in ("--bound", bound)]
    words += ["--metrics", str(port)]
    if checkout == Path.cwd():  # another one may know no workers
        words += ["--workers", str(workers)]
    with ExitStack() as stack:
        link, front = stack.enter_context(hosted(checkout, *words))
        creators, places = [], []
        for number in range(matches):
            if number % TABLES_EACH == 0:
                creators.append(await connect(link, "Host"))
            creators[-1].send("create", _terms(name))
            places.append(str((await creators[-1].expect("created")).values[0]))
        arguments = ("scripts.benchmarks.seats", str(link), "0", "--seats", str(seats), *places)
        players = stack.enter_context(run_program(*arguments))
        assert await asyncio.to_thread(read_line, players) == "ready"
        processes = [front, *front.children(recursive=True)]
        before = [_spent(process) for process in processes]
        entries = (await asyncio.to_thread(scrape, port))["fairdeal_entries_total"]
        send_line(players, "go")
        await asyncio.to_thread(read_line, players)
        spent = [_spent(each) - first for each, first in zip(processes, before, strict=True)]
        await asyncio.sleep(TEXT_KEPT_SECONDS)  # the table does not count anew before
        entries = (await asyncio.to_thread(scrape, port))["fairdeal_entries_total"] - entries
        for creator in creators:
            creator.close()
    return {
        "busiest": 1000 * max(spent) / entries,
        "front": 1000 * spent[0] / entries,
        "all": 1000 * sum(spent) / entries,
        "entries": entries,
    }


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(prog="scripts/process_time", description=__doc__)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--workers", nargs="+", type=int, default=[0, 1, 2], metavar="N")
    parser.add_argument(
        "--matches", type=int, default=16, metavar="N", help="at once (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default: %(default)s")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    for game in options.games:
        ways = [(Path.cwd(), workers) for workers in options.workers]
        if options.against is not None:
            ways.insert(0, (options.against.resolve(), 0))
        found = defaultdict(list)
        for _ in range(options.rounds):
            for way in ways:
                found[way].append(asyncio.run(one_round(way[0], game, way[1], options.matches)))
        usual = found[Path.cwd(), 0]
        print(f"{game}: {usual[0]['entries']:.0f} entries a round" if usual else game)
        for way in ways:
            parts = []
            for what in ("busiest", "front", "all"):
                middle = statistics.median(each[what] for each in found[way])
                ratios = [
                    each[what] / base["all"] for each, base in zip(found[way], usual, strict=False)
                ]
                ratio = f" ({statistics.median(ratios):.2f} ×)" if ratios else ""
                parts.append(f"{what} {middle:.3f} ms{ratio}")
            where = "" if way[0] == Path.cwd() else f" at {way[0]}"
            print(f"  {way[1]} workers{where}: {', '.join(parts)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
