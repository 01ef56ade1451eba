"""`scripts/cluster`: several hosts of one table over three NATS servers, on this machine."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from scripts.clusters.measure import load

EXAMPLES = """\
examples:
  scripts/cluster --hosts 1,2,4            what so many hosts carry (CPU time; about two minutes)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 if everything is as it must be."""
    parser = argparse.ArgumentParser(
        "scripts/cluster", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=_numbers, default=(1, 2, 4), metavar="N,N",
        help="how many carry the load (default: 1,2,4)")  # fmt: skip
    parser.add_argument("--matches", type=int, default=64, metavar="N", help="at each host (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of each (default: %(default)s)")
    parser.add_argument("--together", action="store_true", help="players move at all hosts at the same time")
    options = parser.parse_args(arguments)
    return 0 if asyncio.run(load(options.hosts, options.matches, options.rounds, options.together)) else 1


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


if __name__ == "__main__":
    sys.exit(main())
