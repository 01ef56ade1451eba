"""Cost of a deal of own decks in Ligretto for one seat, compared with libsodium's time for the same
operations.

`ligretto_deal_cpu_s` is the CPU time of one of four seats, each with a deck of 40 and a row of 4.
It includes its key, four shuffles made and sixteen checked, shares of 120 cards made and of 480
checked, and all rows turned up. A client also folds its own entries; without these the time is
`ligretto_deal_others_cpu_s`. The baseline is a loop of the same multiplications and additions in
libsodium, measured after each deal.
"""

import statistics
from operator import add

from protocol import wire
from protocol.crypto.shuffle import generators
from protocol.dealing.card_state import piece_points
from protocol.dealing.registry import DEALINGS
from protocol.games.operations import Pile
from scripts.benchmarks.shuffle import (
    Work,
    bare,
    check_work,
    milliseconds,
    prove_work,
    reencrypt_work,
)
from scripts.benchmarks.verified import Spent, deal_of, measure_block

SEATS = 4
DECK = 40
ROW = (10, 11, 12, 13)
PILES = tuple(Pile(DECK, owner=seat, face_up_places=ROW) for seat in range(SEATS))
SHARE_MADE = Work(2, 1, 0)
SHARE_CHECKED = Work(3, 1, 2)


def _times(count: int, work: Work) -> Work:
    return Work(*(count * each for each in work))


def _work() -> Work:
    """Return the group operations of one seat, without those for its key."""
    places = (SEATS - 1) * DECK
    parts = (
        _times(SEATS, reencrypt_work(DECK)),
        _times(SEATS, prove_work(DECK)),
        _times(SEATS * SEATS, check_work(DECK)),
        _times(places + len(ROW), SHARE_MADE),
        _times(SEATS * (places + len(ROW)), SHARE_CHECKED),
    )
    total = Work(0, 0, 0)
    for part in parts:
        total = Work(*map(add, total, part))
    return total


def _one_deal(seed: int) -> Spent:
    """Run a deal. Return the seconds of one seat for "making" and "folding", and the "bytes" of all
    bodies of entries.
    """
    dealing = DEALINGS["verified"]
    spent = dict.fromkeys(("making", "folding", "bytes"), 0.0)
    context, keys, rng = deal_of(SEATS, PILES, seed)
    with measure_block(spent, "making"):
        halves = [dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)]
    # one fold for all seats, because all compute the same
    fold = dealing.begin(context, 0)
    at = 0
    while not fold.ready:
        for author, half in enumerate(halves):
            with measure_block(spent, "making"):
                post = half.next_post(fold)
            if post is None:
                continue
            at += 1
            spent["bytes"] += len(wire.encode(post.body))
            with measure_block(spent, "folding"):
                fold = dealing.apply(fold, author, post.kind, post.body, at)
    assert len(fold.turned_up) == SEATS * len(ROW)
    return spent | {"making": spent["making"] / SEATS}


def measure(rounds: int) -> dict[str, float]:
    """Return medians over `rounds` deals, each with its own baseline."""
    floor = bare(_work())
    generators(DECK)  # computed once per process, so not part of a deal
    piece_points(SEATS * DECK)
    runs = [(_one_deal(seed), milliseconds(floor) / 1e3) for seed in range(rounds)]
    whole = [spent["making"] + spent["folding"] for spent, _ in runs]
    others = [spent["making"] + spent["folding"] * (SEATS - 1) / SEATS for spent, _ in runs]
    ratios = [own / least for own, (_, least) in zip(whole, runs, strict=True)]
    return {
        "ligretto_deal_cpu_s": statistics.median(whole),
        "ligretto_deal_others_cpu_s": statistics.median(others),
        "ligretto_deal_floor_ratio": statistics.median(ratios),
        "ligretto_deal_bytes": statistics.median(spent["bytes"] for spent, _ in runs),
    }
