"""Schnorr and Chaum–Pedersen proofs accept true statements in their place, and nothing else."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.dlog_proofs import (
    PROOF_SIZE,
    Equality,
    check_equality,
    check_knowledge,
    prove_equality,
    prove_knowledge,
)
from protocol.crypto.group import (
    GENERATOR,
    IDENTITY,
    ONE,
    ORDER,
    ZERO,
    Point,
    decode_scalar,
    hash_to_point,
    random_scalar,
    scalar_from_int,
    times_base,
)
from protocol.crypto.proof_context import ProofPlace, challenges, proof_context, secret_scalars
from protocol.errors import RemoteError

PLACE = ProofPlace(deal=b"d" * 32, seat=1, identity=b"i" * 32, purpose="key", position=3)
ELSEWHERE = [
    {"deal": b"e" * 32},
    {"seat": 2},
    {"identity": b"j" * 32},
    {"purpose": "share"},
    {"position": 4},
]
RNG = Random("dlog")
x = random_scalar(RNG)
X, H = times_base(x), hash_to_point("test", 1)
BOUND = hash_to_point("test", 2)
SAME = Equality(X, H, x * H, (BOUND,))
KNOWLEDGE = prove_knowledge(x, X, PLACE, RNG)
EQUALITY = prove_equality(x, SAME, PLACE, RNG)


def knows(proof: object, point: Point = X, place: ProofPlace = PLACE) -> bool:
    return _accepted(lambda: check_knowledge(proof, point, place))


def equal(proof: object, statement: Equality = SAME, place: ProofPlace = PLACE) -> bool:
    return _accepted(lambda: check_equality(proof, statement, place))


def _accepted(check: object) -> bool:
    try:
        check()  # type: ignore[operator]
    except RemoteError as error:
        assert error.code == Code.BAD_PROOF
        assert error.__cause__ is None
        return False
    return True


def test_true_statements_are_accepted() -> None:
    assert knows(KNOWLEDGE)
    assert equal(EQUALITY)
    assert len(KNOWLEDGE) == len(EQUALITY) == PROOF_SIZE == 64


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, ORDER - 1), st.integers(0, 2**32), st.text(max_size=9), st.integers(0, 2**64 - 1)
)
@pytest.mark.slow
def test_proof_of_any_secret_and_place_is_accepted(
    secret: int, seed: int, purpose: str, position: int
) -> None:
    s = scalar_from_int(secret)
    place = replace(PLACE, purpose=purpose, position=position)
    assert knows(prove_knowledge(s, times_base(s), place, Random(seed)), times_base(s), place)
    statement = Equality(times_base(s), H, s * H)
    assert equal(prove_equality(s, statement, place, Random(seed)), statement, place)


@pytest.mark.parametrize("change", ELSEWHERE)
def test_proof_holds_only_in_its_place(change: dict[str, object]) -> None:
    there = replace(PLACE, **change)  # type: ignore[arg-type]
    assert not knows(KNOWLEDGE, place=there)
    assert not equal(EQUALITY, place=there)


def test_changed_statement_part_invalidates_the_proof() -> None:
    other = hash_to_point("test", 3)
    assert not knows(KNOWLEDGE, other)
    for change in ({"X": other}, {"H": other}, {"Y": other}, {"bound": (other,)}, {"bound": ()}):
        assert not equal(EQUALITY, replace(SAME, **change))  # type: ignore[arg-type]
    assert not equal(EQUALITY, replace(SAME, bound=(BOUND, BOUND)))


def test_logarithm_and_equality_proofs_are_not_interchangeable() -> None:
    assert not knows(EQUALITY)
    assert not equal(KNOWLEDGE)
    on_base = Equality(X, GENERATOR, X)  # both proofs show the same fact here
    assert not equal(KNOWLEDGE, on_base)
    assert not knows(prove_equality(x, on_base, PLACE, RNG))


def test_false_statement_cannot_be_proven_honestly() -> None:
    y = random_scalar(RNG)
    assert not knows(prove_knowledge(y, X, PLACE, RNG))
    false = replace(SAME, Y=y * H)
    assert not equal(prove_equality(x, false, PLACE, RNG), false)
    assert not equal(prove_equality(y, false, PLACE, RNG), false)


@pytest.mark.parametrize("byte", range(64))
def test_proof_with_any_flipped_byte_is_refused(byte: int) -> None:
    for bit in (1, 128):
        for proof, check in ((KNOWLEDGE, knows), (EQUALITY, equal)):
            altered = bytearray(proof)
            altered[byte] ^= bit
            assert not check(bytes(altered))


@pytest.mark.parametrize("at", [0, 32])
@pytest.mark.parametrize("value", [0, 1, ORDER, ORDER + 1, 2**256 - 1])
def test_proof_with_any_replaced_scalar_is_refused(at: int, value: int) -> None:
    for proof, check in ((KNOWLEDGE, knows), (EQUALITY, equal)):
        assert not check(proof[:at] + value.to_bytes(32, "little") + proof[at + 32 :])


@pytest.mark.parametrize("length", [*range(64), 65, 96, 128])
def test_proof_of_wrong_length_is_refused(length: int) -> None:
    for proof, check in ((KNOWLEDGE, knows), (EQUALITY, equal)):
        assert not check((proof * 2)[:length])


@pytest.mark.parametrize("shape", [None, 7, "x" * 64, [KNOWLEDGE], bytearray(KNOWLEDGE)])
def test_proof_of_wrong_shape_is_refused(shape: object) -> None:
    assert not knows(shape)
    assert not equal(shape)


def test_statement_with_identity_is_refused() -> None:
    assert not knows(prove_knowledge(ZERO, IDENTITY, PLACE, RNG), IDENTITY)
    for statement in (
        Equality(IDENTITY, H, IDENTITY),
        Equality(X, IDENTITY, IDENTITY),
        Equality(X, H, IDENTITY),
    ):
        assert not equal(prove_equality(x, statement, PLACE, RNG), statement)
        assert not equal(prove_equality(ZERO, statement, PLACE, RNG), statement)


class Stuck(Random):
    """Generator that has lost its state: the same bytes each time."""

    def randbytes(self, n: int) -> bytes:
        return b"\1" * n


def test_proof_with_repeating_generator_reveals_no_secret() -> None:
    """With one ω for two challenges, x = (s − s')/(c − c')."""
    c, c2 = challenges(b"", "c", 2, [])
    omega = random_scalar(Stuck())  # wrong: nothing but the generator's bytes
    assert ((omega + c * x) - (omega + c2 * x)) * (c - c2).inverse() == x

    first, second = (prove_knowledge(x, X, replace(PLACE, position=k), Stuck()) for k in (1, 2))
    (c, s), (c2, s2) = ((decode_scalar(p[:32]), decode_scalar(p[32:])) for p in (first, second))
    assert (s - s2) * (c - c2).inverse() != x
    assert s - c * x != s2 - c2 * x


def test_proofs_of_one_statement_differ() -> None:
    assert prove_knowledge(x, X, PLACE, RNG) != prove_knowledge(x, X, PLACE, RNG)


def test_proof_contexts_are_unambiguous() -> None:
    """A byte that moves from one field to the next makes another context."""
    moved = replace(PLACE, deal=PLACE.deal + b"i", identity=PLACE.identity[1:])
    contexts = {
        proof_context(place, kind, points)
        for place in (PLACE, moved)
        for kind in ("a", "b")
        for points in ([X], [X, X], [X, H], [H, X], [])
    }
    assert len(contexts) == 20


@pytest.mark.slow
def test_challenges_and_nonces_are_counted_and_distinct() -> None:
    assert len(set(challenges(b"c", "u", 208, [X]))) == 208
    assert challenges(b"c", "u", 2, [X]) != challenges(b"c", "u", 3, [X])[:2]
    with pytest.raises(ValueError, match="255"):
        challenges(b"c", "u", 256, [X])
    assert len(set(secret_scalars(b"w", b"c", 836, RNG))) == 836
    assert next(secret_scalars(b"w", b"c", 1, Stuck())) != next(
        secret_scalars(b"v", b"c", 1, Stuck())
    )
    assert ONE not in challenges(b"c", "u", 9, [])
