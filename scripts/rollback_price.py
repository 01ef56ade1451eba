"""Price of rollback: number of trades that a double spend undoes, and size of the history on which
a card depends.

`scripts/run scripts.rollback_price` prints the table of docs/protocol, 24.8, for a market in which
two random people swap two random cards. A trade is undone if a trade on which it depends is undone.
Trades before a wall are never undone.
"""

import sys
from random import Random
from statistics import mean, median
from typing import NamedTuple

SPENDS = 400  # number of random trades that are spent twice, each by itself
SEED = 24


class Market(NamedTuple):
    """Size of a market. `reach` is the distance of partners, and `walls` is the number of trades
    between two walls.
    """

    people: int
    cards: int
    trades: int
    reach: int | None = None
    walls: int | None = None


MARKETS = {
    "100 people, 1,000 cards, 2,000 trades": Market(100, 1_000, 2_000),
    "the same, 10,000 trades": Market(100, 1_000, 10_000),
    "the same, 10,000 trades among near neighbours": Market(100, 1_000, 10_000, reach=2),
    "1,000 people, 10,000 cards, 10,000 trades": Market(1_000, 10_000, 10_000),
    "100 people, 1,000 cards, 10,000 trades, all certified every 1,000": Market(
        100, 1_000, 10_000, walls=1_000
    ),
    "the same, all certified every 100": Market(100, 1_000, 10_000, walls=100),
}


class Row(NamedTuple):
    """Number of trades, including the first one of each card; history of a card and undone trades,
    as shares of all.
    """

    trades: int
    history: float
    mean: float
    worst: float


def play(market: Market, rng: Random) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the dependencies of each trade, and the last trade of each card."""
    owners = [rng.randrange(market.people) for _ in range(market.cards)]
    hands: list[list[int]] = [[] for _ in range(market.people)]
    for card, owner in enumerate(owners):
        hands[owner].append(card)
    before: list[tuple[int, ...]] = [() for _ in range(market.cards)]
    last = list(range(market.cards))
    while len(before) < market.cards + market.trades:
        one = rng.randrange(market.people)
        far = rng.randrange(1, market.people if market.reach is None else 1 + market.reach)
        other = (one + far) % market.people
        if not hands[one] or not hands[other]:
            continue
        mine, theirs = (hands[who].pop(rng.randrange(len(hands[who]))) for who in (one, other))
        hands[one].append(theirs)
        hands[other].append(mine)
        before.append((last[mine], last[theirs]))
        last[mine] = last[theirs] = len(before) - 1
    return before, last


def count_reachable(
    start: int, links: list[tuple[int, ...]] | list[list[int]], beyond: int = -1
) -> int:
    """Count the trades that can be reached from `start`, without those up to `beyond`."""
    found = set()
    ahead = [start]
    while ahead:
        trade = ahead.pop()
        if trade > beyond and trade not in found:
            found.add(trade)
            ahead += links[trade]
    return len(found)


def measure(market: Market, spends: int = SPENDS) -> Row:
    """Calculate the row of a market."""
    rng = Random(SEED)
    before, last = play(market, rng)
    after: list[list[int]] = [[] for _ in before]
    for trade, earlier in enumerate(before):
        for one in earlier:
            after[one].append(trade)
    # the last wall
    if market.walls is None:
        wall = -1
    else:
        wall = market.cards + market.trades - market.walls
    first = max(market.cards, wall + 1)  # a second spend cannot undo a certified trade
    fallen = [
        count_reachable(rng.randrange(first, len(before)), after, wall) for _ in range(spends)
    ]
    history = median(
        count_reachable(trade, before, wall) for trade in rng.sample(last, min(200, len(last)))
    )
    return Row(len(before), history, mean(fallen) / market.trades, max(fallen) / market.trades)


def main() -> int:
    """Print the table."""
    print(
        "| market | a card hangs on (median) | trades undone: mean | worst |\n| --- | ---: | "
        "---: | ---: |"
    )
    for name, market in MARKETS.items():
        row = measure(market)
        print(
            f"| {name} | {row.history:,.0f} of {row.trades:,} | {row.mean:.1%} | {row.worst:.1%} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
