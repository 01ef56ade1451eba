"""Two decks of loose cards, as in games by rule files: cost of hiding and looking for one of two
seats.

`verified_two_decks_cpu_s` is the CPU time of one seat from the first key on. Both seats hide both
decks of 60: two shuffles made, four checked. Each looks at a hand of seven: shares of seven cards
made, of fourteen checked, and the hand read. A client also folds its own entries.
"""

import statistics

from protocol import wire
from protocol.crypto.shuffle import generators
from protocol.dealing.card_state import piece_points
from protocol.dealing.registry import DEALINGS
from protocol.games.operations import EVERYBODY, LookAt, Pile, ShuffleCards
from scripts.benchmarks.verified import Spent, deal_of, measure_block

SEATS = 2
DECK = 60
HAND = 7
PILES = tuple(Pile(DECK, owner=seat, loose=True) for seat in range(SEATS))
DECKS = tuple(tuple(range(seat * DECK, (seat + 1) * DECK)) for seat in range(SEATS))
WANTED = (
    *map(ShuffleCards, DECKS),
    *(LookAt(deck[:HAND], (seat,)) for seat, deck in enumerate(DECKS)),
)


def _one_deal(seed: int) -> Spent:
    """Run a deal. Return the seconds of both seats for "making", of one for "folding", and the
    "bytes" of all bodies of entries.
    """
    dealing = DEALINGS["verified"]
    spent = dict.fromkeys(("making", "folding", "bytes"), 0.0)
    context, keys, rng = deal_of(SEATS, PILES, seed)
    with measure_block(spent, "making"):
        halves = [dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)]
    # one fold for both seats, because both compute the same
    fold = dealing.begin(context, 0)
    at = 0
    wanted = False
    while not (fold.ready and wanted):
        if fold.ready:
            at = at + 1
            wanted = True
            fold = dealing.apply_operations(fold, EVERYBODY, WANTED, [[] for _ in WANTED], at)
        for author, half in enumerate(halves):
            with measure_block(spent, "making"):
                post = half.next_post(fold)
            if post is None:
                continue
            at += 1
            spent["bytes"] += len(wire.encode(post.body))
            with measure_block(spent, "folding"):
                fold = dealing.apply(fold, author, post.kind, post.body, at)
    with measure_block(spent, "making"):
        for half in halves:
            half.next_post(fold)  # so that the seat reads its cards
    assert [sorted(half.visible_cards) for half in halves] == [list(deck[:HAND]) for deck in DECKS]
    return spent


def measure(rounds: int) -> dict[str, float]:
    """Return medians over `rounds` deals."""
    generators(DECK)  # computed once per process, so not part of a deal
    piece_points(SEATS * DECK)
    runs = [_one_deal(seed) for seed in range(rounds)]
    return {
        "verified_two_decks_cpu_s": statistics.median(
            spent["making"] / SEATS + spent["folding"] for spent in runs
        ),
        "verified_two_decks_bytes": statistics.median(spent["bytes"] for spent in runs),
    }
