"""Command line of `scripts/simulate --hosts`."""

import argparse
import sys
import time

from tests.properties.simulate.__main__ import results, terms
from tests.properties.simulate.hosts.world import HostsSpec, run_hosts
from tests.properties.simulate.weather import HOSTS
from tests.properties.simulate.world import Failed, Tally
from tests.support.memo import memoised

KINDS = (("matches", "none"), ("nim", "none"), ("hexapawn", "none"), ("block-dominoes", "layered"))
EACH_HIDDEN = 10  # one world in ten has hidden pieces: they cost ten times as much
COUNTS = (2, 3, 4)  # hosts
MOST_FAILURES = 20


def main(words: list[str]) -> int:
    """Run worlds of many hosts; return 0 if every promise held in all of them, else 1."""
    args = _parser().parse_args(words)
    total, failed, began = Tally(), 0, time.monotonic()
    seeds = range(args.seed, args.seed + args.worlds)
    for done, (seed, tally, wrong) in enumerate(
        results(_run, [(seed, args.faults) for seed in seeds], args.jobs), 1
    ):
        if wrong is None:
            total.add(tally)
        else:
            failed += 1
            again = f"scripts/simulate --hosts --seed {seed} --worlds 1 --faults {args.faults}"
            notes = tally.notes if args.worlds == 1 else ()
            print("\n".join([*notes, f"FAILED: {wrong}", f"again: {again}"]), flush=True)
            if failed == MOST_FAILURES:
                break
        if not args.quiet:
            print(f"\r{done} worlds, {failed} failed ", end="", file=sys.stderr, flush=True)
    print(_report(total, failed, time.monotonic() - began))
    return 1 if failed else 0


def _report(total: Tally, failed: int, seconds: float) -> str:
    faults = ", ".join(f"{kind} {count}" for kind, count in sorted(total.happened.items()))
    return (
        f"\n{total.matches} matches, {total.entries} entries, {total.seconds / 3600:.1f} "
        "virtual hours "
        f"in {seconds:.0f} s\n"
        f"{total.watched} came to watch what another host has\n"
        f"faults: {faults or 'none'}\ntrace: {total.trace.hex()[:16]}\n"
        f"{f'{failed} worlds FAILED' if failed else 'every promise held'}"
    )


Job = tuple[int, str]  # the seed, and the kind of faults
Result = tuple[int, Tally, str | None]  # the seed, the events, and the failure


def _run(job: Job) -> Result:
    try:
        with memoised():
            return job[0], run_hosts(spec_of(*job)), None
    except Failed as failure:
        return job[0], failure.tally, str(failure)


def spec_of(seed: int, faults: str) -> HostsSpec:
    """Return the world of this seed."""
    kind = KINDS[-1] if seed % EACH_HIDDEN == 0 else KINDS[seed % (len(KINDS) - 1)]
    return HostsSpec(seed, terms(*kind, 2, False), HOSTS[faults], COUNTS[seed % len(COUNTS)])


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="scripts/simulate --hosts",
        description="Worlds of two to four hosts of one table over one faulty store: no two heads for one "
        "number.",
    )
    made.add_argument("--hosts", action="store_true", help=argparse.SUPPRESS)
    made.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of the first world (default 1)"
    )
    made.add_argument(
        "--worlds",
        type=int,
        default=20,
        metavar="N",
        help="how many, of four matches each (default 20)",
    )
    made.add_argument(
        "--faults", choices=sorted(HOSTS), default="hosts", help="what may go wrong (default hosts)"
    )
    made.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    made.add_argument("--quiet", action="store_true", help="no progress, only the sum")
    return made
