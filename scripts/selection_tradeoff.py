"""Trade-off in layered dealing: number of hops against the information that a coalition of the
table and some seats gets from the route.

Simulates stage 3 of layered dealing (docs/protocol, chapter 8) without its cryptography. The
coalition sees the list whenever the list passes one of its seats, and the published stock. For each
piece of an honest seat it guesses the holder at random. It chooses among the honest seats that had
the list between its last view with the piece and its first without. `guess` is the share of right
guesses.

scripts/run scripts.selection_tradeoff [--deals 2000] [--seats 4] [--hand 7] [--pieces 28] [--route
random]
"""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from dataclasses import dataclass
from random import Random
from statistics import mean

from protocol.limits import FREE_ROUNDS_PER_PIECE


@dataclass
class Deal:
    """One simulated selection: the seat and the list at each hop, and the pieces that each seat
    took.
    """

    route: list[int]
    views: list[set[int]]
    owner: dict[int, int]


def select(rng: Random, args: Namespace, take: float, swap: float) -> Deal:
    """Simulate a selection. The last view is the stock."""
    left = set(range(args.pieces))
    held = [set[int]() for _ in range(args.seats)]
    deal = Deal([], [], {})
    stock = args.pieces - args.seats * args.hand
    seat = 0
    fixed = args.route == "cyclic"
    while True:
        own = held[seat]
        hop = len(deal.route)
        must = fixed and hop >= args.seats * FREE_ROUNDS_PER_PIECE * args.hand
        if len(own) < args.hand and (must or rng.random() < take):
            element = rng.choice(sorted(left))
            left.remove(element)
            own.add(element)
        elif own and left and rng.random() < swap:
            back = rng.choice(sorted(own))
            element = rng.choice(sorted(left))
            left.symmetric_difference_update({back, element})
            own.symmetric_difference_update({back, element})
        deal.route.append(seat)
        deal.views.append(set(left))
        if len(left) == stock and (seat == 0 or not fixed):
            deal.owner = {element: seat for seat, hand in enumerate(held) for element in hand}
            return deal
        seat = (
            seat + 1 if fixed else rng.choice([s for s in range(args.seats) if s != seat])
        ) % args.seats


def guesses(rng: Random, deal: Deal, coalition: set[int]) -> list[bool]:
    """Guess the holder of each piece in honest hands. Return True for each right guess."""
    last = len(deal.route) - 1
    seen = [
        -1,
        *(hop for hop in range(last) if coalition & {deal.route[hop], deal.route[hop + 1]}),
        last,
    ]
    right = []
    for element, seat in deal.owner.items():
        if seat in coalition:
            continue
        gone = max((hop for hop, view in enumerate(deal.views) if element in view), default=-1) + 1
        after = next(hop for hop in seen if hop >= gone)
        before = max(hop for hop in seen if hop < after)
        suspects = [
            deal.route[hop]
            for hop in range(before + 1, after + 1)
            if deal.route[hop] not in coalition
        ]
        right.append(rng.choice(suspects) == seat)
    return right


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    for name, default in (("deals", 2000), ("seats", 4), ("hand", 7), ("pieces", 28)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--route", choices=("cyclic", "random"), default="cyclic")
    args = parser.parse_args()
    rng = Random(1)
    coalitions = {"one seat": {1}, "two, adjacent": {1, 2}, "two, opposite": {1, 3}}
    print(
        "| take | swap | hops, mean | hops, 99 % | "
        + " | ".join(f"guess: {name}" for name in coalitions)
        + " |"
    )
    print("| --- " * (4 + len(coalitions)) + "|")
    for take in (1.0, 0.75, 0.5, 0.25, 0.1, 0.05):
        for swap in (0.0, 0.25):
            hops: list[int] = []
            rates: dict[str, list[bool]] = {name: [] for name in coalitions}
            for _ in range(args.deals):
                deal = select(rng, args, take, swap)
                hops.append(len(deal.route))
                for name, coalition in coalitions.items():
                    rates[name] += guesses(rng, deal, coalition)
            tail = sorted(hops)[int(len(hops) * 0.99)]
            cells = " | ".join(f"{100 * mean(rate):.1f} %" for rate in rates.values())
            print(f"| {take:.2f} | {swap:.2f} | {mean(hops):.0f} | {tail} | {cells} |")


if __name__ == "__main__":
    main()
