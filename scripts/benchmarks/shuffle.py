"""Verifiable shuffle: time to make and to check it, compared with libsodium's time for the same
multiplications and additions.

`scripts/run scripts.benchmarks.shuffle` prints a table over deck sizes as Markdown. Times are CPU
time of one thread. Measurement and baseline alternate, so that other load affects both.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import rbcl

from protocol.crypto.elgamal import (
    Ciphertext,
    check_share,
    clear_ciphertext,
    decode_ciphertexts,
    encode_ciphertexts,
    prove_share,
    share,
)
from protocol.crypto.group import hash_to_point, random_scalar, times_base
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.shuffle import check_shuffle, prove_shuffle, shuffle

SIZES = (28, 52, 104, 208)  # a domino set; one, two and four packs of cards
CARDS = 52
ROUNDS = 15
PLACE = ProofPlace(bytes(32), 0, bytes(32), "benchmark")


class Work(NamedTuple):
    """Numbers of group operations: multiplications of a variable point, multiplications of the base
    point, additions.
    """

    products: int
    base_products: int
    additions: int


def prove_work(N: int) -> Work:
    """Operations of the paper's prover: ĉ, t̂ (N each), t_3 (N), t_4 (2N), and a base product in
    each c, ĉ, t̂.
    """
    return Work(5 * N, 3 * N, 6 * N)


def check_work(N: int) -> Work:
    """Operations of the paper's verifier: c̃, Σs'h (N each), ẽ, Σs'e', t̂ (2N each), their sums, c̄
    and t̂.
    """
    return Work(8 * N, N, 9 * N)


def reencrypt_work(N: int) -> Work:
    """Operations to encrypt all cards anew: r'·pk, r'·G and two additions for each card."""
    return Work(N, N, 2 * N)


def bare(work: Work) -> Callable[[], None]:
    """Make a loop over libsodium's functions, with buffers made once and nothing around the
    calls.
    """
    rng = Random(1)
    sodium = rbcl.rbcl._sodium
    out = ctypes.create_string_buffer(32)
    scalars = [random_scalar(rng).encoded for _ in range(64)]
    points = [times_base(random_scalar(rng)).encoded for _ in range(64)]
    multiply = sodium.crypto_scalarmult_ristretto255
    add = sodium.crypto_core_ristretto255_add
    base = sodium.crypto_scalarmult_ristretto255_base

    def loop() -> None:
        for k in range(work.products):
            multiply(out, scalars[k % 64], points[k % 64])
        for k in range(work.base_products):
            base(out, scalars[k % 64])
        for k in range(work.additions):
            add(out, points[k % 64], points[(k + 1) % 64])

    return loop


def milliseconds(action: Callable[[], object]) -> float:
    """Return the CPU milliseconds of an action."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1e3


def _beside(
    action: Callable[[], object], floor: Callable[[], None], rounds: int
) -> tuple[float, float]:
    """Return the median milliseconds of an action, and the median ratio to the baseline measured
    directly after it.
    """
    action()
    pairs = [(milliseconds(action), milliseconds(floor)) for _ in range(rounds)]
    return statistics.median(own for own, _ in pairs), statistics.median(
        own / least for own, least in pairs
    )


def measure_size(N: int, rounds: int) -> dict[str, float]:
    """Measure a shuffle of N cards that were shuffled before. The check starts from the bytes of
    deck and proof.
    """
    rng = Random(N)
    pk = times_base(random_scalar(rng))
    e, _ = shuffle([clear_ciphertext(hash_to_point("piece", k)) for k in range(N)], pk, rng)
    e_prime, witness = shuffle(e, pk, rng)
    proof, raw = prove_shuffle(e, e_prime, witness, pk, PLACE, rng), encode_ciphertexts(e_prime)

    def check() -> None:
        check_shuffle(proof, e, decode_ciphertexts(raw, N), pk, PLACE)

    reencrypted = _beside(lambda: shuffle(e, pk, rng), bare(reencrypt_work(N)), rounds)
    proven = _beside(
        lambda: prove_shuffle(e, e_prime, witness, pk, PLACE, rng), bare(prove_work(N)), rounds
    )
    checked = _beside(check, bare(check_work(N)), rounds)
    return {
        "shuffle_reencrypt_ms": reencrypted[0],
        "shuffle_reencrypt_floor_ratio": reencrypted[1],
        "shuffle_prove_ms": proven[0],
        "shuffle_prove_floor_ratio": proven[1],
        "shuffle_verify_ms": checked[0],
        "shuffle_verify_floor_ratio": checked[1],
        "shuffle_proof_bytes": len(proof),
    }


def measure_shares(rounds: int) -> dict[str, float]:
    """Measure a share of one card: make it with its proof (x·C1, ω·G, ω·C1), and check the proof
    (c·X, s·C1, c·D, s·G).
    """
    rng = Random(2)
    x = random_scalar(rng)
    X, e = times_base(x), Ciphertext(hash_to_point("a", 1), hash_to_point("b", 1))
    D = share(x, e)
    proof = prove_share(x, X, e, D, PLACE, rng)
    times = 50
    made = _beside(
        lambda: [prove_share(x, X, e, share(x, e), PLACE, rng) for _ in range(times)],
        bare(Work(2 * times, times, 0)),
        rounds,
    )

    def check() -> None:
        for _ in range(times):
            check_share(proof, X, e, D, PLACE)

    checked = _beside(check, bare(Work(3 * times, times, 2 * times)), rounds)
    return {
        "share_prove_ms": made[0] / times,
        "share_prove_floor_ratio": made[1],
        "share_verify_ms": checked[0] / times,
        "share_verify_floor_ratio": checked[1],
    }


def measure(rounds: int) -> dict[str, float]:
    """Return the figures for 52 cards and for other sizes, whose number ends the key. The other
    sizes get a third of the rounds.
    """
    figures = measure_size(CARDS, rounds) | measure_shares(rounds)
    for N in SIZES:
        if N != CARDS:
            figures |= {
                f"{name}_{N}": value for name, value in measure_size(N, -(-rounds // 3)).items()
            }
    return figures


def table(figures: dict[str, float]) -> str:
    """Format the figures of `measure` over deck sizes as Markdown."""
    columns = (
        "reencrypt_ms",
        "prove_ms",
        "prove_floor_ratio",
        "verify_ms",
        "verify_floor_ratio",
        "proof_bytes",
    )
    rows = [
        "| cards | re-encrypt, ms | prove, ms | over the floor | check, ms | over the floor | "
        "proof, bytes |",
        "| ---: " * 7 + "|",
    ]
    for N in SIZES:
        end = "" if N == CARDS else f"_{N}"
        values = [figures[f"shuffle_{column}{end}"] for column in columns]
        rows.append(
            "| "
            + " | ".join([str(N), *(f"{v:,.0f}" if v > 1000 else f"{v:.3g}" for v in values)])
            + " |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(measure(ROUNDS)))
