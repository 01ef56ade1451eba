"""A verified deal: what it costs the processor, and how long four people wait for it.

`verified_deal_cpu_s` is the CPU time, in one process, of what four clients do from the first key to
the last hand read:

- each seat on its own: its key and proof, its re-encrypted and permuted deck and the argument for
  it, its shares of the others' cards with a proof for each, and reading its own cards;
- each seat about the others: decoding and checking every entry of theirs, as the fold does it;
- and, because a client folds its own entries like all others, checking once more what it has just
  proven itself.

`verified_deal_others_cpu_s` leaves the last of these out, `verified_deal_with_table_cpu_s` adds the
table's own fold. Signatures of entries and sessions are in none of them.

`verified_deal_s` is wall time over loopback TCP, four players and a table in processes of their
own, from the last player's greeting (before its join) to the moment when the last of them has seen
all hands dealt. What is dealt is dominoes up to double-nine, 13 tiles each: 52 of 55 pieces, so
three more to shuffle than in a pack of cards.
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
from scripts.benchmarks.process import line, program, table, tell

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

# CPU seconds by what they went on; under "bytes", the bytes of all entries' bodies
Spent = dict[str, float]


@contextmanager
def on(spent: Spent, what: str) -> Iterator[None]:
    """Adds the CPU time of what is done within."""
    begun = time.process_time()
    yield
    spent[what] += time.process_time() - begun


def deal_of(
    seats: int, piles: tuple[Pile, ...], seed: int
) -> tuple[DealContext, list[MatchKey], Random]:
    """A deal in which nobody has posted anything: what it is bound to, the seats' match keys, and
    what is random.
    """
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
    """Deal all pieces that can be shared out evenly; every seat and the table have a fold of their
    own.

    Spent on "making" (private halves), "others" and "own" (a seat's fold of entries that are not,
    or are, its own) and "table" (the table's fold).
    """
    dealing = DEALINGS["verified"]
    spent = dict.fromkeys(("making", "others", "own", "table", "bytes"), 0.0)
    context, keys, rng = deal_of(seats, (Pile(pieces, pieces // seats),), seed)
    with on(spent, "making"):
        halves = [dealing.seat_half(context, seat, key, rng) for seat, key in enumerate(keys)]
    folds = [dealing.begin(context, 0) for _ in range(seats + 1)]  # the last is the table's
    at = 0
    while not all(fold.ready for fold in folds):
        for author, half in enumerate(halves):
            with on(spent, "making"):
                post = half.next_post(folds[author])
            if post is None:
                continue
            at += 1
            spent["bytes"] += len(wire.encode(post.body))
            for reader in range(seats + 1):
                with on(
                    spent, "table" if reader == seats else "own" if reader == author else "others"
                ):
                    folds[reader] = dealing.apply(folds[reader], author, post.kind, post.body, at)
    with on(spent, "making"):
        for half, fold in zip(halves, folds, strict=False):
            half.next_post(fold)  # reads its cards
    dealt = [piece for half in halves for piece in half.hand]
    assert len(set(dealt)) == len(dealt) == seats * context.dealt_per_seat
    return spent


def cpu(seats: int, pieces: int, rounds: int) -> dict[str, float]:
    """Medians over several deals."""
    generators(pieces)  # computed once in the life of a process
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
    """Seconds until the last of four hands is dealt."""
    with ExitStack() as stack:
        _, link = stack.enter_context(table("--seats", str(SEATS), "--deal", "verified", *DOMINOES))
        workers = [
            stack.enter_context(program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            assert line(worker) == "ready"
        for worker in workers:
            tell(worker, "go")
            joined = time_of(worker, "joined")
        return max(time_of(worker, "dealt") for worker in workers) - joined


def measure(rounds: int) -> dict[str, float]:
    """Medians over so many deals; over TCP each with a table of its own."""
    figures = cpu(SEATS, CARDS, rounds)
    times = [over_tcp() for _ in range(rounds)]
    return figures | {
        "verified_deal_s": statistics.median(times),
        "verified_deal_s_worst": max(times),
    }
