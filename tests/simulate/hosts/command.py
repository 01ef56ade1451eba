"""The command line of `scripts/simulate --hosts`."""

import argparse
import time

from tests.simulate.__main__ import terms
from tests.simulate.hosts.world import HostsSpec, run_hosts
from tests.simulate.weather import HOSTS
from tests.simulate.world import Failed, Tally
from tests.support.memo import shared_checks

KINDS = (("matches", "none"), ("nim", "none"), ("hexapawn", "none"), ("block-dominoes", "layered"))
EACH_HIDDEN = 10  # one world in so many has hidden pieces: they cost ten times as much
COUNTS = (2, 3, 4)  # hosts
MOST_FAILURES = 20


def main(words: list[str]) -> int:
    """Run worlds of many hosts; 0 if every promise held in all of them, else 1."""
    args = _parser().parse_args(words)
    total, failed, began = Tally(), 0, time.monotonic()
    for seed in range(args.seed, args.seed + args.worlds):
        try:
            with shared_checks():
                total.add(run_hosts(spec_of(seed, args.faults)))
        except Failed as failure:
            failed += 1
            again = f"scripts/simulate --hosts --seed {seed} --worlds 1 --faults {args.faults}"
            notes = failure.tally.notes if args.worlds == 1 else ()
            print("\n".join([*notes, f"FAILED: {failure}", f"again: {again}"]), flush=True)
            if failed == MOST_FAILURES:
                break
    faults = ", ".join(f"{kind} {count}" for kind, count in sorted(total.happened.items()))
    seconds = time.monotonic() - began
    print(
        f"{total.matches} matches, {total.entries} entries, {total.seconds / 3600:.1f} virtual hours in {seconds:.0f} s"
    )
    print(f"{total.watched} came to watch what another host has")
    print(f"faults: {faults or 'none'}\ntrace: {total.trace.hex()[:16]}")
    print(f"{failed} worlds FAILED" if failed else "every promise held")
    return 1 if failed else 0


def spec_of(seed: int, faults: str) -> HostsSpec:
    """The world of this seed."""
    kind = KINDS[-1] if seed % EACH_HIDDEN == 0 else KINDS[seed % (len(KINDS) - 1)]
    return HostsSpec(seed, terms(*kind, 2, False), HOSTS[faults], COUNTS[seed % len(COUNTS)])


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="scripts/simulate --hosts",
        description="Worlds of two to four hosts of one table over one faulty store: no two heads for one number.",
    )
    made.add_argument("--hosts", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("--seed", type=int, default=1, metavar="S", help="of the first world (default 1)")
    made.add_argument("--worlds", type=int, default=20, metavar="N", help="how many, of four matches each (default 20)")
    made.add_argument("--faults", choices=sorted(HOSTS), default="hosts", help="what may go wrong (default hosts)")
    return made
