"""Command line of `scripts/worst_entries`."""

import argparse
import sys
from collections.abc import Iterator
from random import Random

from tests.properties.worst_entries.intruder import worst_intruders
from tests.properties.worst_entries.language import nanoseconds_of_steps, worst_constructs
from tests.properties.worst_entries.measuring import Worst, entry_milliseconds
from tests.properties.worst_entries.open_games import worst_open_games
from tests.properties.worst_entries.openings import worst_openings
from tests.properties.worst_entries.rule_files import worst_rule_files

MOST = 5.0  # times the processor time of an ordinary entry
ABOUT = f"""\
Searches for the entry that costs most of all that are taken, in games whose rules or messages
strangers write, and compares it with an ordinary one of its kind: constructs of the rule language
by the time of a step, random rule files, random protocols and messages of the intruder, games
with nothing hidden at their largest sizes, and openings of cards that people own. An entry's
processor time has what every entry costs in it. The status is 1 if something costs more than
{MOST:g} times an ordinary one.

examples:
  scripts/worst_entries --seconds 20            a glance
  scripts/worst_entries --seconds 600 --seed 7  a longer search
  scripts/worst_entries --steps                 what a step takes, for each construct"""


def search(seconds: float, rng: Random) -> Iterator[Worst]:
    """Search, and yield the worst of each kind."""
    base = entry_milliseconds()
    yield from worst_constructs()
    yield from worst_open_games(rng, base)
    yield from worst_openings(base)
    yield from worst_rule_files(seconds / 2, rng, base)
    yield from worst_intruders(seconds / 2, rng, base)


def main(words: list[str] | None = None) -> int:
    """Search, print a table, and return the status."""
    parser = argparse.ArgumentParser(
        prog="scripts/worst_entries",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=20, metavar="S", help="default 20")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="default 1")
    parser.add_argument("--steps", action="store_true", help="what a step takes, and no search")
    args = parser.parse_args(words)
    if args.steps:
        found = nanoseconds_of_steps()
        for name in sorted(found, key=found.__getitem__, reverse=True):
            print(f"{found[name]:7.1f} ns  {name}")
        return 0
    dear = False
    for one in search(args.seconds, Random(args.seed)):
        dear = dear or one.ratio > MOST
        print(f"{one.kind}: {one.ordinary:.2f} ms, at worst {one.worst:.2f}: {one.ratio:.1f} times")
        print(f"    {one.what[:600]}", flush=True)
    return int(dear)


if __name__ == "__main__":
    sys.exit(main())
