"""`scripts/cluster`: several hosts of one table on this machine, over three NATS servers or over a
database.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median

from scripts.clusters.measure import load
from tests.system.hosts.faults import rounds
from tests.system.hosts.processes import STORES
from tests.system.hosts.restarts import rolling, takeovers
from tests.system.hosts.trial import Trial, trial

# permitted pause of a match after its host is killed
MEDIAN_SECONDS = 5.0
WORST_SECONDS = 15.0
GAP_SECONDS = 10.0  # permitted pause of a match while all hosts are restarted

EXAMPLES = """\
examples:
  scripts/cluster --hosts 1,2,4            what so many hosts carry (CPU time; some minutes)
  scripts/cluster --faults 20              hosts and store servers die and hang; eight matches go on
  scripts/cluster --takeovers 50           how long a match stands still when its host dies
  scripts/cluster --takeovers 20 --held-up ditto, when it stands still and its connections stay (SIGSTOP)
  scripts/cluster --rolling                all hosts are started anew, one after the other, under load
  scripts/cluster --store postgres …       the same over PostgreSQL with a synchronous standby
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 if all checks pass."""
    parser = argparse.ArgumentParser(
        "scripts/cluster",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--hosts",
        type=_numbers,
        default=(1, 2, 4),
        metavar="N,N",
        help="how many carry the load (default: 1,2,4)",
    )
    add(
        "--matches",
        type=int,
        metavar="N",
        help="at each host (default: 64); with the others: in all (default: 8)",
    )
    add(
        "--rounds",
        type=int,
        default=3,
        metavar="N",
        help="of each number of hosts (default: %(default)s)",
    )
    add("--together", action="store_true", help="players move at all hosts at the same time")
    add("--faults", type=int, metavar="N", help="rounds of faults")
    add("--takeovers", type=int, metavar="N", help="matches whose host dies")
    add(
        "--held-up",
        action="store_true",
        help="with --takeovers: the host is stopped, and goes on when others have them",
    )
    add("--rolling", action="store_true", help="start all hosts anew")
    add("--store", choices=STORES, default=STORES[0], help="of what servers (default: %(default)s)")
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="of what happens to whom (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    if not (options.faults or options.takeovers or options.rolling):
        each = options.matches or 64
        if asyncio.run(load(options.hosts, each, options.rounds, options.together, options.store)):
            return 0
        return 1
    with tempfile.TemporaryDirectory(prefix="fairdeal-cluster-") as folder:
        if asyncio.run(run_checks(options, Path(folder))):
            return 0
        return 1


async def run_checks(options: argparse.Namespace, folder: Path) -> bool:
    """Run the chosen checks, and return True if all of them pass."""
    fine = True
    run = None
    try:
        async with trial(folder, options.matches or 8, store=options.store) as run:
            if options.faults:
                await rounds(run, options.faults, Random(options.seed), _say)
            if options.takeovers:
                fine &= await _taken_over(run, options)
            if options.rolling:
                fine &= await _rolled(run)
    finally:
        if run is not None:
            _say(run.report())
    return fine and not run.crowd.recorder.wrong


async def _taken_over(run: Trial, options: argparse.Namespace) -> bool:
    found = sorted(
        await takeovers(run, options.takeovers, Random(options.seed), _say, options.held_up)
    )
    what = f"a host {'stands still' if options.held_up else 'dies'}, {len(found)} matches"
    _say(f"{what}: next move after {median(found):.1f} s (median), {found[-1]:.1f} s (worst)")
    _say("all: " + " ".join(f"{each:.1f}" for each in found))
    return median(found) <= MEDIAN_SECONDS and found[-1] <= WORST_SECONDS


async def _rolled(run: Trial) -> bool:
    longest = await rolling(run, _say)
    _say(f"all hosts started anew: the longest time between two moves of a match {longest:.1f} s")
    return longest <= GAP_SECONDS


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _say(text: str) -> None:
    print(time.strftime("%X"), text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
