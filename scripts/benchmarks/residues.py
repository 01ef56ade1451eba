"""Cards by residues at full size: 4 seats, 52 cards, keys of 2048 bits. CPU time of one thread.

`python -m scripts.benchmarks.residues` prints the figures beside those of LibTMCG, the peer. Without gmpy2 is measured
in a process of its own, in which it cannot be imported.
"""

import statistics
import subprocess
import sys
from functools import cache
from random import Random

from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue.cards import Deck, columns, decode, encode, form_of, open_card, piece_bits
from protocol.crypto.residue.key_proof import check_key, prove_key
from protocol.crypto.residue.keys import SecretKey, new_key
from protocol.crypto.residue.opening import check_bits, prove_bits
from protocol.crypto.residue.shuffle import check_shuffle, prove_shuffle, shuffle
from scripts.benchmarks.shuffle import milliseconds

SEATS, CARDS, HAND = 4, 52, 7
ROUNDS = 5
PLACE = ProofPlace(bytes(32), 0, bytes(32), "benchmark")

# LibTMCG (https://www.nongnu.org/libtmcg/), its cards by residues: 4 seats, 52 cards, 2048 bits, 80 rounds, each asked;
# measured once on two cores at 2.7 GHz, one thread. Megabytes are those sent, as text of base 62.
PEER = {"residue_prove_s": 5.35, "residue_verify_s": 1.47, "residue_proof_mb": 36.0}

_WITHOUT = (
    "import sys; sys.modules['gmpy2'] = None; from scripts.benchmarks import residues; print(residues.prove_s(1))"
)


@cache
def _keys() -> list[SecretKey]:
    return [new_key(Random(seat)) for seat in range(SEATS)]


def _shuffled(moduli: list[int], rng: Random) -> Deck:
    """A deck that has been shuffled before, as every shuffle's but the first is."""
    bits = piece_bits(CARDS)
    return shuffle(tuple(open_card(piece, bits, moduli) for piece in range(CARDS)), moduli, rng)[0]


def _median(times: list[float]) -> float:
    return statistics.median(times) / 1e3


def prove_s(rounds: int) -> float:
    """Seconds to shuffle and to prove it."""
    rng, moduli = Random(1), [key.m for key in _keys()]
    deck = _shuffled(moduli, rng)

    def prove() -> None:
        after, witness = shuffle(deck, moduli, rng)
        prove_shuffle(deck, after, witness, moduli, PLACE, rng)

    return _median([milliseconds(prove) for _ in range(rounds)])


def _without_gmpy2() -> float:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=True, timeout=300)
    return float(done.stdout)


def _verify(moduli: list[int], rounds: int) -> tuple[float, int]:
    """Seconds from the bytes of deck and proof on, and the bytes of the proof."""
    rng = Random(2)
    deck = _shuffled(moduli, rng)
    after, witness = shuffle(deck, moduli, rng)
    proof, raw = prove_shuffle(deck, after, witness, moduli, PLACE, rng), encode(after, moduli)

    def check() -> None:
        check_shuffle(deck, decode(raw, form_of(deck, moduli)), moduli, proof, PLACE)

    return _median([milliseconds(check) for _ in range(rounds)]), len(proof)


def _open(key: SecretKey, moduli: list[int], rounds: int) -> dict[str, float]:
    """A hand's bits, told and checked."""
    rng = Random(3)
    numbers = columns(_shuffled(moduli, rng)[:HAND])[0]
    bits, proof = prove_bits(key, numbers, PLACE, rng)
    made = [milliseconds(lambda: prove_bits(key, numbers, PLACE, rng)) for _ in range(rounds)]
    checked = [milliseconds(lambda: check_bits(key.m, numbers, bits, proof, PLACE)) for _ in range(rounds)]
    return {"residue_open_ms": statistics.median(made), "residue_open_verify_ms": statistics.median(checked)}


def measure(rounds: int) -> dict[str, float]:
    """The figures, medians over the rounds; without gmpy2 once."""
    keys = _keys()
    moduli = [key.m for key in keys]
    known = prove_key(keys[0], PLACE)
    verified, size = _verify(moduli, rounds)
    return {
        "residue_prove_s": prove_s(rounds),
        "residue_verify_s": verified,
        "residue_proof_mb": size / 1e6,
        "residue_prove_int_s": _without_gmpy2(),
        "residue_key_ms": statistics.median(milliseconds(lambda s=s: new_key(Random(s))) for s in range(rounds)),
        "residue_key_prove_ms": milliseconds(lambda: prove_key(keys[1], PLACE)),
        "residue_key_verify_ms": milliseconds(lambda: check_key(moduli[0], known, PLACE)),
        **_open(keys[0], moduli, rounds),
    }


def table(figures: dict[str, float]) -> str:
    """As Markdown, the peer beside it."""
    rows = ["| measure | here | LibTMCG |", "| --- | ---: | ---: |"]
    rows += [f"| `{name}` | {value:.3g} | {PEER.get(name, '–')} |" for name, value in figures.items()]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(measure(ROUNDS)))
