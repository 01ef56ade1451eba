"""A match of four bots while one address floods the table with connection attempts. The script
fails if the flood slows the match too much.

Each round is one match. Entries during the flood are compared with those before and after it. A
time lasts from sending an entry until all four seats have received it.

`scripts/flood entries` floods with valid entries instead: see its own --help.
"""

import argparse
import asyncio
import json
import statistics
import sys
from contextlib import ExitStack

from protocol.identity.keys import JoinLink
from scripts.benchmarks import entry_flood
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import read_line, run_program, run_table, send_line
from scripts.benchmarks.scrape import free_port, scrape

ATTACKER = "127.0.0.66"  # the players use 127.0.0.1
QUIET_SECONDS = 3.0  # seconds before the flood
AT_MOST = 3.0  # permitted ratio of the 99th percentiles during the flood and without it


async def one_round(link: JoinLink, attempts: int) -> dict[str, float]:
    """Play a match with a flood in the middle. Raises: ValueError if too few entries fell into one
    of the two times.
    """
    with ExitStack() as stack:
        seats = stack.enter_context(run_program("scripts.benchmarks.seats", str(link), "0", "main"))
        assert read_line(seats) == "ready"
        send_line(seats, "go")
        await asyncio.sleep(QUIET_SECONDS)
        flooder = stack.enter_context(
            run_program("scripts.benchmarks.flooder", str(link), ATTACKER, str(attempts))
        )
        flood = json.loads(await asyncio.to_thread(read_line, flooder))
        match = json.loads(await asyncio.to_thread(read_line, seats))
    print(f"  {flood['counts']}", file=sys.stderr)
    flooded = [seconds for at, seconds in match["times"] if flood["began"] <= at <= flood["ended"]]
    quiet = [
        seconds for at, seconds in match["times"] if not flood["began"] <= at <= flood["ended"]
    ]
    if min(len(flooded), len(quiet)) < 100:
        raise ValueError(
            f"only {len(quiet)} quiet and {len(flooded)} flooded entries: change --target or "
            "--attempts"
        )
    return {
        "clean": float(set(match["verdicts"]) == {"clean"}),
        "attempts_per_s": attempts / (flood["ended"] - flood["began"]),
        "quiet_entries": len(quiet),
        "flooded_entries": len(flooded),
        "quiet_p50_s": quantile(quiet, 0.5),
        "quiet_p99_s": quantile(quiet, 0.99),
        "flooded_p50_s": quantile(flooded, 0.5),
        "flooded_p99_s": quantile(flooded, 0.99),
        "p99_ratio": quantile(flooded, 0.99) / quantile(quiet, 0.99),
    }


async def measure(attempts: int, rounds: int, target: int) -> dict[str, float]:
    """Return medians over the rounds. `clean` is the minimum."""
    port = free_port()
    found = []
    for _ in range(rounds):
        with run_table("--seats", "4", "--target", str(target), "--metrics", str(port)) as (
            _,
            link,
        ):
            found.append(await one_round(link, attempts))
            samples = await asyncio.to_thread(scrape, port)
        refused = {
            key: value
            for key, value in samples.items()
            if key.startswith("fairdeal_connections_refused_total{")
        }
        print(
            f"  {refused}, gave way {samples['fairdeal_connections_gave_way_total']:.0f}",
            file=sys.stderr,
        )
    figures = {name: statistics.median(each[name] for each in found) for name in found[0]}
    return figures | {"clean": min(each["clean"] for each in found)}


def main() -> int:
    """Return 0 if every match is clean and the median ratio is within the limit."""
    if sys.argv[1:2] == ["entries"]:
        del sys.argv[1]
        return entry_flood.main()
    parser = argparse.ArgumentParser(prog="scripts/flood", description=__doc__)
    parser.add_argument(
        "--attempts", type=int, default=10_000, metavar="N", help="default: %(default)s"
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--target",
        type=int,
        default=200,
        metavar="POINTS",
        help="of each match (default: %(default)s)",
    )
    options = parser.parse_args()
    figures = asyncio.run(measure(options.attempts, options.rounds, options.target))
    for name, value in figures.items():
        print(f"{name:32} {value:,.4g}")
    fine = figures["clean"] == 1 and figures["p99_ratio"] <= AT_MOST
    print(
        "the match is unharmed"
        if fine
        else f"NOT unharmed: a match is not clean, or p99 is above {AT_MOST} times"
    )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
