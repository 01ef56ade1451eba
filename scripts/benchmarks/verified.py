"""Verified deal: CPU time, and waiting time of four people.

`verified_deal_cpu_s` is the CPU time of four clients in one process, from the first key until the
last hand is read:

- own work of each seat: its key with proof, its encrypted and permuted deck with the argument, its
  shares of the others' cards with proofs, and reading its own cards;
- checks of the others' entries: decoding and checking each, as the fold does it;
- checks of its own entries, because a client folds them too.

`verified_deal_others_cpu_s` leaves out the last item. `verified_deal_with_table_cpu_s` adds the
table's own fold. None of them includes signatures of entries or sessions.

`verified_deal_s` is wall time over loopback TCP with four players and a table in separate
processes. It lasts from the last player's greeting, before its join, until the last of them has
seen all hands dealt. The deal is dominoes up to double-nine, 13 tiles each: 52 of 55 pieces, three
more to shuffle than in a pack of cards.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random

from protocol import wire
from protocol.crypto.envelopes import MatchKey, new_key
from protocol.crypto.shuffle import generators
from protocol.dealing import DealContext
from protocol.dealing.card_state import piece_points
from protocol.dealing.registry import DEALINGS
from protocol.games.operations import Pile
from scripts.benchmarks.deal import NAMES, time_of
from scripts.benchmarks.process import read_line, run_program, run_table, send_line

CARDS = 52
SEATS = 4
DOMINOES = (
    "--game",
    "block-dominoes",
    "--option",
    "highest=9",
    "--option",
    "hand=13",
    "--target",
    "1",
)

# kind of work -> CPU seconds; "bytes" -> bytes of all bodies of entries
Spent = dict[str, float]


@contextmanager
def measure_block(spent: Spent, what: str) -> Iterator[None]:
    """Add the CPU time of the block to `what`."""
    begun = time.process_time()
    yield
    spent[what] += time.process_time() - begun


def deal_of(
    seats: int, piles: tuple[Pile, ...], seed: int
) -> tuple[DealContext, list[MatchKey], Random]:
    """Prepare a deal without entries: context, match keys of the seats, and random source."""
    rng = Random(seed)
    keys = [new_key(rng) for _ in range(seats)]
    context = DealContext(
        match_id=rng.randbytes(32),
        deal_number=0,
        table_key=rng.randbytes(32),
        identities=tuple(rng.randbytes(32) for _ in range(seats)),
        match_keys=tuple(key.public for key in keys),
        present=tuple(range(seats)),
        piles=piles,
        options={},
    )
    return context, keys, rng


def one_deal(seats: int, pieces: int, seed: int = 1) -> Spent:
    """Deal as many pieces as can be divided evenly. Every seat and the table have their own fold.

    The kinds of work are "making" (private halves), "others" and "own" (a seat's fold of the
    others' and of its own entries), and "table" (the table's fold).
    """
    dealing = DEALINGS["verified"]
    spent = dict.fromkeys(("making", "others", "own", "table", "bytes"), 0.0)
    context, keys, rng = deal_of(seats, (Pile(pieces, pieces // seats),), seed)
    with measure_block(spent, "making"):
        halves = [dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)]
    folds = [dealing.begin(context, 0) for _ in range(seats + 1)]  # the last fold is the table's
    at = 0
    while not all(fold.ready for fold in folds):
        for author, half in enumerate(halves):
            with measure_block(spent, "making"):
                post = half.next_post(folds[author])
            if post is None:
                continue
            at += 1
            spent["bytes"] += len(wire.encode(post.body))
            for reader in range(seats + 1):
                with measure_block(
                    spent, "table" if reader == seats else "own" if reader == author else "others"
                ):
                    folds[reader] = dealing.apply(folds[reader], author, post.kind, post.body, at)
    with measure_block(spent, "making"):
        for half, fold in zip(halves, folds, strict=False):
            half.next_post(fold)  # so that the seat reads its cards
    dealt = [piece for half in halves for piece in half.hand]
    assert len(set(dealt)) == len(dealt) == seats * context.dealt_per_seat
    return spent


def cpu(seats: int, pieces: int, rounds: int) -> dict[str, float]:
    """Return medians over several deals."""
    generators(pieces)  # computed once per process, so not part of a deal
    piece_points(pieces)
    runs = [one_deal(seats, pieces, seed) for seed in range(rounds)]

    def median(*parts: str) -> float:
        return statistics.median(sum(run[part] for part in parts) for run in runs)

    return {
        "verified_deal_cpu_s": median("making", "others", "own"),
        "verified_deal_others_cpu_s": median("making", "others"),
        "verified_deal_with_table_cpu_s": median("making", "others", "own", "table"),
        "verified_deal_bytes": median("bytes"),
    }


def over_tcp() -> float:
    """Measure the seconds until the last of four hands is dealt."""
    with ExitStack() as stack:
        _, link = stack.enter_context(
            run_table("--seats", str(SEATS), "--deal", "verified", *DOMINOES)
        )
        workers = [
            stack.enter_context(run_program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            assert read_line(worker) == "ready"
        for worker in workers:
            send_line(worker, "go")
            joined = time_of(worker, "joined")
        return max(time_of(worker, "dealt") for worker in workers) - joined


def measure(rounds: int) -> dict[str, float]:
    """Return medians over `rounds` deals. Over TCP each deal has its own table."""
    figures = cpu(SEATS, CARDS, rounds)
    times = [over_tcp() for _ in range(rounds)]
    return figures | {
        "verified_deal_s": statistics.median(times),
        "verified_deal_s_worst": max(times),
    }
