"""Hands of poker by bots, played in our rules and in pokerkit. Prices, raises, turns and shares must
be equal, or differ by a ruling.
"""

import argparse
import sys
import time

from tests.support.second_opinion import RULINGS, compare_hands


def main() -> int:
    """Play the hands, and print the differences. Return 0 if each one has its ruling."""
    parser = argparse.ArgumentParser(prog="scripts/poker_hands", description=__doc__)
    parser.add_argument(
        "--hands", type=int, default=10_000, metavar="N", help="to play (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the first match (default: %(default)s)"
    )
    asked = parser.parse_args()
    begun = time.monotonic()
    tally = compare_hands(asked.hands, asked.seed)
    print(
        f"{tally.hands:,} hands, {tally.decisions:,} bets compared, "
        f"{tally.whole:,} hands to their shares, in {time.monotonic() - begun:.0f} s"
    )
    for name, ruling in RULINGS.items():
        print(f"{tally.ruled[name]:>6,}  {name}: {ruling.says} ({ruling.source})")
    print(f"{len(tally.unruled):>6,}  differences without a ruling")
    for text in tally.unruled[:5]:
        print(text)
    return int(bool(tally.unruled))


if __name__ == "__main__":
    sys.exit(main())
