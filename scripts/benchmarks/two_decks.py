"""Two decks of loose cards, as games by scripts ask for them: what hiding and looking costs one of
two seats.

`verified_two_decks_cpu_s` is the CPU time of one seat, from the first key on: both decks of 60
hidden by both seats (two shuffles made, four checked), a hand of seven looked at by each (shares of
seven cards made, of fourteen checked), and read. A client folds its own entries like all others.
"""

import statistics

from protocol import wire
from protocol.crypto.shuffle import generators
from protocol.dealing.card_state import piece_points
from protocol.dealing.registry import DEALINGS
from protocol.games.operations import EVERYBODY, LookAt, Pile, ShuffleCards
from scripts.benchmarks.verified import Spent, deal_of, on

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
    """Spent by both seats on "making", by each on "folding"; "bytes" are those of all entries'
    bodies.
    """
    dealing = DEALINGS["verified"]
    spent = dict.fromkeys(("making", "folding", "bytes"), 0.0)
    context, keys, rng = deal_of(SEATS, PILES, seed)
    with on(spent, "making"):
        halves = [dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)]
    # one for all: every seat does the same
    fold = dealing.begin(context, 0)
    at = 0
    wanted = False
    while not (fold.ready and wanted):
        if fold.ready:
            at = at + 1
            wanted = True
            fold = dealing.apply_operations(fold, EVERYBODY, WANTED, [[] for _ in WANTED], at)
        for author, half in enumerate(halves):
            with on(spent, "making"):
                post = half.next_post(fold)
            if post is None:
                continue
            at += 1
            spent["bytes"] += len(wire.encode(post.body))
            with on(spent, "folding"):
                fold = dealing.apply(fold, author, post.kind, post.body, at)
    with on(spent, "making"):
        for half in halves:
            half.next_post(fold)  # reads its cards
    assert [sorted(half.visible_cards) for half in halves] == [list(deck[:HAND]) for deck in DECKS]
    return spent


def measure(rounds: int) -> dict[str, float]:
    """Medians over so many deals."""
    generators(DECK)  # computed once in the life of a process
    piece_points(SEATS * DECK)
    runs = [_one_deal(seed) for seed in range(rounds)]
    return {
        "verified_two_decks_cpu_s": statistics.median(
            spent["making"] / SEATS + spent["folding"] for spent in runs
        ),
        "verified_two_decks_bytes": statistics.median(spent["bytes"] for spent in runs),
    }
