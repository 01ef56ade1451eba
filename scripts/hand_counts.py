"""Rank all 2,598,960 five-card hands one by one, and compare the number in each class with the
known counts.
"""

import sys
import time
from collections import Counter
from itertools import combinations

from protocol.games.poker.ranking import value

# from a straight flush down to a high card
COUNTS = (40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540)


def main() -> int:
    """Count the hands. Return 0 if all counts are right."""
    begun = time.monotonic()
    found = Counter(value(cards, ()).kind.name for cards in combinations(range(52), 5))
    ordered = sorted(found.values())
    for label, count in sorted(found.items(), key=lambda item: item[1]):
        print(f"{count:>9,}  {label}")
    equal = tuple(ordered) == COUNTS
    print(
        f"{sum(ordered):>9,}  in {time.monotonic() - begun:.0f} s: "
        f"{'equal' if equal else 'NOT EQUAL'}"
    )
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
