"""Command line of `scripts/evidence`: search small worlds of cheats for sets of records that name,
rob or throw out somebody honest, by the product's own functions.
"""

import argparse
import sys

from tests.properties.evidence.giver_search import GiverSearch
from tests.properties.evidence.search import Search
from tests.properties.evidence.world import ListedRule, Menu, Rule, SlotRule


def main() -> int:
    """Search, and print figures; 1 if the product's rule has a counterexample."""
    parser = argparse.ArgumentParser(prog="scripts/evidence", description=__doc__)
    parser.add_argument(
        "--signatures", type=int, default=2, help="of the giver; with --giver, trades in all"
    )
    parser.add_argument("--states", type=int, default=None, help="at most so many")
    parser.add_argument("--seconds", type=float, default=None, help="of processor for each rule")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--witnesses", action="store_true", help="trades may be certified as well")
    parser.add_argument("--before", action="store_true", help="also by the rule before, to compare")
    parser.add_argument("--third", action="store_true", help="with a third cheat")
    parser.add_argument(
        "--giver", action="store_true", help="a cheating giver against honest receivers instead"
    )
    parser.add_argument("--waives", type=int, default=2, help="by cheats, with --giver")
    parser.add_argument("--walks", type=int, default=0, help="by lot, with --giver")
    asked = parser.parse_args()
    if asked.giver:
        search = GiverSearch(
            asked.signatures,
            asked.waives,
            3 if asked.third else 2,
            asked.states,
            asked.seed,
            asked.seconds,
            walks=asked.walks,
        )
        print(search.report(), flush=True)
        return int(bool(search.found))
    menu = Menu(asked.signatures, witnesses=asked.witnesses, third=asked.third)
    if asked.before:
        _run(SlotRule(), menu, asked)
    return int(bool(_run(ListedRule(asked.third), menu, asked).found))


def _run(rule: Rule, menu: Menu, asked: argparse.Namespace) -> Search:
    search = Search(rule, menu, asked.states, asked.seed, asked.seconds)
    print(search.report(), flush=True)
    return search


if __name__ == "__main__":
    sys.exit(main())
