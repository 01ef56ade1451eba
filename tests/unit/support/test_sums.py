"""Points computed as sums are the points that libsodium computes, and a false proof is as false as
without.
"""

from random import Random

import pytest

from protocol.crypto.elgamal import clear_ciphertext, joint_key
from protocol.crypto.group import (
    GENERATOR,
    IDENTITY,
    ONE,
    ZERO,
    Point,
    Scalar,
    hash_to_point,
    linear_combination,
    random_scalar,
    scalar_from_int,
    times_base,
    total,
)
from protocol.crypto.primitives.native import ristretto255 as native
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.shuffle import check_shuffle, prove_shuffle, shuffle
from protocol.errors import RemoteError
from tests.support.sums import MemoisedRistretto, plain_arithmetic, use_backend

PLACE = ProofPlace(b"deal", 0, b"identity", "shuffle")


def points_by_chance(seed: int) -> list[bytes]:
    """Points each of which comes of earlier ones; some are read from bytes before others are made
    of them.
    """
    rng = Random(seed)
    points = [GENERATOR, IDENTITY, hash_to_point("a", seed), hash_to_point("b", seed)]
    for _ in range(40):
        some, others = rng.choices(points, k=3), rng.choices(points, k=2)
        scalars = [
            rng.choice((ZERO, ONE, -ONE, scalar_from_int(2), random_scalar(rng))) for _ in some
        ]
        made = rng.choice(
            (
                lambda some, others, scalars: linear_combination(scalars, some),
                lambda some, others, scalars: total([*some, *others]),
                lambda some, others, scalars: others[0] - scalars[0] * some[0],
                lambda some, others, scalars: times_base(scalars[0]) + scalars[1] * others[0],
                lambda some, others, scalars: -some[0],
                lambda some, others, scalars: Point(some[0].encoded),
            )
        )(some, others, scalars)
        points.append(made)
    return [point.encoded for point in points]


@pytest.mark.parametrize("seed", range(12))
def test_sums_are_the_points_that_libsodium_computes(seed):
    summed = points_by_chance(seed)
    with plain_arithmetic():
        assert points_by_chance(seed) == summed


def test_sums_of_points_may_be_evicted():
    with plain_arithmetic():
        plain = points_by_chance(1)
    with use_backend(MemoisedRistretto(native, kept=5)):
        assert points_by_chance(1) == plain


def proven(seed: int) -> tuple:
    """A shuffle, with its proof."""
    rng = Random(seed)
    pk = joint_key([times_base(random_scalar(rng)), hash_to_point("a key", seed)])
    before = tuple(clear_ciphertext(hash_to_point("a card", card)) for card in range(5))
    once, _ = shuffle(before, pk, rng)
    after, witness = shuffle(once, pk, rng)
    return prove_shuffle(once, after, witness, pk, PLACE, rng), once, after, pk


class CountingRistretto:
    """The native backend, with the number of its products."""

    def __init__(self) -> None:
        self.products = 0

    def __getattr__(self, name: str) -> object:
        return getattr(native, name)

    def multiply(self, scalar: bytes, point: bytes) -> bytes:
        self.products += 1
        return native.multiply(scalar, point)

    def times_base(self, scalar: bytes) -> bytes:
        self.products += 1
        return native.times_base(scalar)


def test_proof_checker_repeats_no_computation_of_its_author():
    counting = CountingRistretto()
    with use_backend(MemoisedRistretto(counting)):
        proof, before, after, pk = proven(1)
        by_author = counting.products
        check_shuffle(proof, before, after, pk, PLACE)
    assert counting.products == by_author > 0


@pytest.mark.parametrize("place", range(15))
def test_a_false_proof_of_a_shuffle_is_refused(place):
    """One scalar of it is another: the challenge, or one of the answers."""
    proof, before, after, pk = proven(2)
    scalar = Scalar(proof[32 * place : 32 * place + 32]) + ONE
    false = proof[: 32 * place] + scalar.encoded + proof[32 * place + 32 :]
    check_shuffle(proof, before, after, pk, PLACE)
    with pytest.raises(RemoteError):
        check_shuffle(false, before, after, pk, PLACE)


def test_a_proof_of_another_shuffle_is_refused():
    proof, before, after, pk = proven(3)
    with pytest.raises(RemoteError):
        check_shuffle(proof, before, (*after[1:], after[0]), pk, PLACE)
