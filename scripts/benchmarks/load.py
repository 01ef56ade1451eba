"""One table process with many idle connections and many parallel matches of bots. The script fails
if a match is not clean.

A time lasts from sending an entry until the last of its match's four seats has received it, at the
players' sockets. So it includes the time in which the players' processes serve other seats. With
`--think 0` every seat moves at once, and the machine is saturated.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import psutil

from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import Program, read_line, run_program, run_table, send_line
from scripts.benchmarks.scrape import bucket, free_port, scrape

SEATS = 4
WORKERS = 2  # number of processes for players
# number of local addresses for idle connections; the players share another one
ADDRESSES = 50
AT_ONCE = 10  # parallel handshakes
TABLES_EACH = 4  # the table's limit for one identity
# so that no seat lapses on a saturated machine
CLOCK = Allowance(extensions=3, step=1200, turn=1200)
TERMS = encode_terms(
    make_terms(
        Selection("block-dominoes", (("target", 1),)), Selection("layered"), CLOCK.options(), SEATS
    )
)
BOUNDS = (  # for the players, which all connect at once from one address
    "per_address=1000",
    "half_open=1000",
    "half_open_per_address=1000",
    "arrivals=4000/1000",
    "arrivals_per_address=2000/1000",
    "frames_per_address=100000/100000",
    "requests_per_address=4000/1000",
    "tables_per_address=200",
    "creations_per_address=200/200",
    "seats_per_address=1000",
)


@dataclass(frozen=True)
class Load:
    """Parameters: idle connections, parallel matches, and seconds to think about a move."""

    idle: int
    matches: int
    think: float


async def open_connections(link: JoinLink, count: int) -> list[Client]:
    """Open idle connections from several addresses."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Client:
        async with gate:
            return await connect(link, f"Guest {number}", f"127.0.0.{2 + number % ADDRESSES}")

    return await asyncio.gather(*(one(number) for number in range(count)))


async def create_tables(clients: Sequence[Client], count: int) -> list[str]:
    """Create tables. Their creators must stay connected."""
    names = []
    for number in range(count):
        creator = clients[number // TABLES_EACH]
        creator.send("create", TERMS)
        names.append(str((await creator.expect("created")).values[0]))
    return names


async def count_open_connections(clients: Sequence[Client]) -> int:
    """Count the connections that the table still answers, and close them."""
    here = 0
    for client in clients:
        client.send("list")
        try:
            await client.expect("tables")
        except ConnectionError:
            continue
        here += 1
        client.close()
    return here


async def play(
    workers: Sequence[Program], process: psutil.Process
) -> tuple[list[dict[str, list]], int]:
    """Let the players play. Return their output, and the peak memory of the table in bytes."""
    for worker in workers:
        send_line(worker, "go")
    answers = asyncio.gather(*(asyncio.to_thread(read_line, worker) for worker in workers))
    most = 0
    while not answers.done():
        most = max(most, process.memory_info().rss)
        await asyncio.sleep(0.1)
    return [json.loads(answer) for answer in await answers], most


async def measure(load: Load) -> dict[str, float]:
    """Return all figures. `clean` is the number of matches with a clean verdict of every seat."""
    port = free_port()
    bounds = [part for bound in BOUNDS for part in ("--bound", bound)]
    with ExitStack() as stack:
        hosted, link = stack.enter_context(
            run_table("--seats", str(SEATS), "--metrics", str(port), *bounds)
        )
        process = psutil.Process(hosted.pid)
        creators = await open_connections(link, -(-load.matches // TABLES_EACH))
        tables = await create_tables(creators, load.matches)
        empty = process.memory_info().rss
        idle = await open_connections(link, load.idle - len(creators))
        crowded = process.memory_info().rss
        shares = [tables[number::WORKERS] for number in range(WORKERS)]
        workers = [
            stack.enter_context(
                run_program("scripts.benchmarks.seats", str(link), str(load.think), *share)
            )
            for share in shares
            if share
        ]
        for worker in workers:
            assert read_line(worker) == "ready"
        before = await asyncio.to_thread(scrape, port)
        began = time.monotonic()
        results, most = await play(workers, process)
        seconds = time.monotonic() - began
        after = await asyncio.to_thread(scrape, port)
        here = await count_open_connections([*creators, *idle])
    times = [seconds for result in results for _, seconds in result["times"]]
    return {
        "idle_connections": here,
        "matches": load.matches,
        "clean": sum(_clean_matches(result["verdicts"]) for result in results),
        "seconds": seconds,
        "entries_per_s": (after["fairdeal_entries_total"] - before["fairdeal_entries_total"])
        / seconds,
        "table_cpu_share": (_cpu(after) - _cpu(before)) / seconds,
        "move_to_all_p50_s": quantile(times, 0.5),
        "move_to_all_p99_s": quantile(times, 0.99),
        "idle_connection_kb": (crowded - empty) / len(idle) / 1024 if idle else 0,
        "playing_seat_kb": (most - crowded) / (load.matches * SEATS) / 1024,
        "loop_lag_p50_s_at_most": bucket(before, after, "fairdeal_loop_lag_seconds", 0.5),
        "loop_lag_p99_s_at_most": bucket(before, after, "fairdeal_loop_lag_seconds", 0.99),
        "commit_p50_s_at_most": bucket(before, after, "fairdeal_commit_seconds", 0.5),
        "records_per_commit_p50_at_most": bucket(before, after, "fairdeal_commit_records", 0.5),
    }


def _clean_matches(verdicts: list[str]) -> int:
    """Count the clean matches of one process. Its verdicts are in the order of matches, then
    seats.
    """
    matches = [verdicts[first : first + SEATS] for first in range(0, len(verdicts), SEATS)]
    return sum(match == ["clean"] * SEATS for match in matches)


def _cpu(samples: dict[str, float]) -> float:
    return samples["process_cpu_seconds_total"]


def main() -> int:
    """Return 0 if every match is clean and every idle connection is still open."""
    parser = argparse.ArgumentParser(prog="scripts/load", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="1,000 idle connections and 100 matches (minutes)"
    )
    parser.add_argument(
        "--idle", type=int, default=100, metavar="N", help="idle connections (default: %(default)s)"
    )
    parser.add_argument(
        "--matches",
        type=int,
        default=10,
        metavar="N",
        help="matches at once (default: %(default)s)",
    )
    parser.add_argument(
        "--think",
        type=float,
        default=0,
        metavar="SECONDS",
        help="before a move (default: %(default)s)",
    )
    options = parser.parse_args()
    if options.full:
        load = Load(1000, 100, options.think)
    else:
        load = Load(options.idle, options.matches, options.think)
    figures = asyncio.run(measure(load))
    for name, value in figures.items():
        print(f"{name:32} {value:,.4g}")
    fine = figures["clean"] == load.matches and figures["idle_connections"] == load.idle
    print(
        "all matches are clean"
        if fine
        else "NOT every match is clean, or not every idle connection is left"
    )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
