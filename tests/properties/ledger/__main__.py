"""Command line of `scripts/ledger_histories`: play many random histories and print the seed of the
first one that breaks a law.
"""

import argparse
import sys
from collections import Counter

from tests.properties.ledger.histories import History, check_history


def main() -> int:
    """Play the histories and print a summary of their events."""
    parser = argparse.ArgumentParser(prog="scripts/ledger_histories", description=__doc__)
    parser.add_argument("--histories", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    asked = parser.parse_args()
    happened = Counter[str]()
    for seed in range(asked.seed, asked.seed + asked.histories):
        try:
            happened += check_history(History(seed))
        except AssertionError as broken:
            print(f"seed {seed}: {broken}", file=sys.stderr)
            return 1
    print(
        f"{asked.histories} histories, all laws hold: "
        + ", ".join(f"{what} {n}" for what, n in happened.items())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
