"""Command line of `scripts/evidence`: search small worlds of cheats for sets of records that name,
rob or throw out somebody honest, by the product's own functions.
"""

import argparse
import sys

from tests.properties.evidence.search import Search
from tests.properties.evidence.world import ListedRule, Menu, Rule, SlotRule


def main() -> int:
    """Search, and print figures; 1 if the product's rule has a counterexample."""
    parser = argparse.ArgumentParser(prog="scripts/evidence", description=__doc__)
    parser.add_argument("--signatures", type=int, default=2, help="of the giver")
    parser.add_argument("--states", type=int, default=None, help="at most so many")
    parser.add_argument("--seconds", type=float, default=None, help="of processor for each rule")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--witnesses", action="store_true", help="trades may be certified as well")
    parser.add_argument("--before", action="store_true", help="also by the rule before, to compare")
    asked = parser.parse_args()
    menu = Menu(asked.signatures, witnesses=asked.witnesses)
    if asked.before:
        _run(SlotRule(), menu, asked)
    return int(bool(_run(ListedRule(), menu, asked).found))


def _run(rule: Rule, menu: Menu, asked: argparse.Namespace) -> Search:
    search = Search(rule, menu, asked.states, asked.seed, asked.seconds)
    print(search.report(), flush=True)
    return search


if __name__ == "__main__":
    sys.exit(main())
