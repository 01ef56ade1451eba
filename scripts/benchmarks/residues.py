"""Dealing by residues at full size: 4 seats, 52 cards, keys of 2048 bits. Times are CPU time of one
thread.

`scripts/run scripts.benchmarks.residues` prints the figures next to those of LibTMCG. The case
without gmpy2 is measured in a process that cannot import gmpy2.
"""

import statistics
import subprocess
import time
from random import Random
from typing import NamedTuple

from commandline.children import python_child
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue.bit_proof import check_bits, prove_bits
from protocol.crypto.residue.cards import (
    Deck,
    clear_card,
    columns,
    decode,
    encode,
    form_of,
    piece_bits,
)
from protocol.crypto.residue.key_proof import check_key, prove_key
from protocol.crypto.residue.keys import SecretKey, new_key
from protocol.crypto.residue.shuffle import check_shuffle, prove_shuffle, shuffle
from scripts.benchmarks.shuffle import milliseconds

SEATS = 4
CARDS = 52
HAND = 7
ROUNDS = 5
PLACE = ProofPlace(bytes(32), 0, bytes(32), "benchmark")

# LibTMCG (https://www.nongnu.org/libtmcg/), cards by residues: 4 seats, 52 cards, 2048 bits, 80
# interactive rounds. Measured once on two cores at 2.7 GHz, one thread. Megabytes are those sent,
# as text of base 62.
PEER = {"residue_prove_s": 5.35, "residue_verify_s": 1.47, "residue_proof_mb": 36.0}

_WITHOUT = """
import sys
sys.modules["gmpy2"] = None
from scripts.benchmarks.residues import make_proofs
print(make_proofs([int(modulus) for modulus in sys.argv[1:]], 1).seconds)
"""


class Proven(NamedTuple):
    """The last of some shuffles, with its proof, and median seconds to make and to prove a
    shuffle.
    """

    seconds: float
    before: Deck
    after: Deck
    proof: bytes


def _keys() -> tuple[list[SecretKey], float]:
    """Make keys for all seats. Return them with the median milliseconds for a key."""
    keys: list[SecretKey] = []
    times = [
        milliseconds(lambda seat=seat: keys.append(new_key(Random(seat)))) for seat in range(SEATS)
    ]  # type: ignore[misc]
    return keys, statistics.median(times)


def _shuffled(moduli: list[int], rng: Random) -> Deck:
    """Make a deck that was shuffled before. Only the first shuffle of a deal gets a deck that was
    not.
    """
    bits = piece_bits(CARDS)
    return shuffle(tuple(clear_card(piece, bits, moduli) for piece in range(CARDS)), moduli, rng)[0]


def make_proofs(moduli: list[int], rounds: int) -> Proven:
    """Make and prove `rounds` shuffles."""
    rng = Random(1)
    times = []
    before = _shuffled(moduli, rng)
    for _ in range(rounds):
        begun = time.process_time()
        after, witness = shuffle(before, moduli, rng)
        proof = prove_shuffle(before, after, witness, moduli, PLACE, rng)
        times.append(time.process_time() - begun)
    return Proven(statistics.median(times), before, after, proof)


def _without_gmpy2(moduli: list[int]) -> float:
    child = python_child("-c", _WITHOUT, *map(str, moduli))
    run = subprocess.run(
        child.command, env=child.environ, capture_output=True, text=True, check=True, timeout=300
    )
    return float(run.stdout)


def _verify(it: Proven, moduli: list[int], rounds: int) -> float:
    """Measure the seconds to check a shuffle, from the bytes of deck and proof."""
    raw = encode(it.after, moduli)

    def check() -> None:
        check_shuffle(it.before, decode(raw, form_of(it.before, moduli)), moduli, it.proof, PLACE)

    return statistics.median(milliseconds(check) for _ in range(rounds)) / 1e3


def _open(key: SecretKey, moduli: list[int], rounds: int) -> dict[str, float]:
    """Measure the shares of a hand: making them with proofs, and checking them."""
    rng = Random(3)
    numbers = columns(_shuffled(moduli, rng)[:HAND])[0]
    bits, proof = prove_bits(key, numbers, PLACE, rng)
    made = [milliseconds(lambda: prove_bits(key, numbers, PLACE, rng)) for _ in range(rounds)]
    checked = [
        milliseconds(lambda: check_bits(key.m, numbers, bits, proof, PLACE)) for _ in range(rounds)
    ]
    return {
        "residue_open_ms": statistics.median(made),
        "residue_open_verify_ms": statistics.median(checked),
    }


def measure(rounds: int) -> dict[str, float]:
    """Return all figures as medians over `rounds` rounds. The case without gmpy2 is measured
    once.
    """
    keys, key_ms = _keys()
    moduli = [key.m for key in keys]
    known, it = prove_key(keys[0], PLACE), make_proofs(moduli, rounds)
    return {
        "residue_prove_s": it.seconds,
        "residue_verify_s": _verify(it, moduli, rounds),
        "residue_proof_mb": len(it.proof) / 1e6,
        "residue_prove_int_s": _without_gmpy2(moduli),
        "residue_key_ms": key_ms,
        "residue_key_prove_ms": milliseconds(lambda: prove_key(keys[1], PLACE)),
        "residue_key_verify_ms": milliseconds(lambda: check_key(moduli[0], known, PLACE)),
        **_open(keys[0], moduli, rounds),
    }


def table(figures: dict[str, float]) -> str:
    """Format the figures as Markdown, next to those of LibTMCG."""
    rows = ["| measure | here | LibTMCG |", "| --- | ---: | ---: |"]
    rows += [
        f"| `{name}` | {value:.3g} | {PEER.get(name, '–')} |" for name, value in figures.items()
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(measure(ROUNDS)))
