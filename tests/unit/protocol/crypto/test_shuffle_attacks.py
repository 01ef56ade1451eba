"""Attacks that broke other implementations: each succeeds against a wrong variant, defined here,
and fails against ours.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from protocol.crypto import shuffle as shuffle_module
from protocol.crypto.dlog_proofs import check_knowledge, prove_knowledge
from protocol.crypto.elgamal import (
    Ciphertext,
    check_share,
    clear_ciphertext,
    combine_shares,
    decode_ciphertexts,
    encode_ciphertexts,
    joint_key,
    prove_share,
    reencrypt,
    share,
)
from protocol.crypto.group import (
    GENERATOR,
    IDENTITY,
    ORDER,
    ZERO,
    Point,
    Scalar,
    decode_scalars,
    encode,
    hash_to_point,
    hash_to_scalar,
    random_scalar,
    scalar_from_int,
    times_base,
    total,
)
from protocol.crypto.proof_context import ProofPlace, challenge, proof_context
from protocol.crypto.shuffle import Witness, check_shuffle, prove_shuffle, shuffle
from protocol.errors import RemoteError

INVALID = json.loads((Path(__file__).parent / "rfc9496.json").read_text())["invalid"]
RNG = Random("attacks")
PLACE = ProofPlace(deal=b"d" * 32, seat=0, identity=b"i" * 32, purpose="test")
SECRETS = [random_scalar(RNG) for _ in range(3)]
KEYS = [times_base(s) for s in SECRETS]
PK = joint_key(KEYS)
x, X = SECRETS[0], KEYS[0]
PIECES = [hash_to_point("piece", k) for k in range(4)]
CLEAR = tuple(clear_ciphertext(M) for M in PIECES)
CARD = reencrypt(CLEAR[0], random_scalar(RNG), PK)


def refused(check: Callable[[], object]) -> bool:
    try:
        check()
    except RemoteError:
        return True
    return False


# --- 1. the statement left out of the hash ---


def test_unhashed_statement_allows_a_false_share() -> None:
    """With c = H(t₁, t₂) alone: choose t and s first, then D = (s·C1 − t₂)/c fits, whatever the key
    is.
    """

    def attack(hashed: Callable[[Point, list[Point]], Scalar]) -> tuple[Point, bytes]:
        omega, t2 = random_scalar(RNG), hash_to_point("anything", 1)
        guess = hash_to_point("guess", 1)  # the best hash that is possible before D is known
        c = hashed(guess, [times_base(omega), t2])
        s = omega + c * x
        return c.inverse() * (s * CARD.C1 - t2), encode([c, s])

    def weak(_: Point, t: list[Point]) -> Scalar:
        return hash_to_scalar("weak", *(point.encoded for point in t))

    def ours(D: Point, t: list[Point]) -> Scalar:
        statement = [GENERATOR, X, CARD.C1, D, CARD.C2]
        return challenge(proof_context(PLACE, "equality of discrete logarithms", statement), "c", t)

    def weakly_accepted(D: Point, proof: bytes) -> bool:
        c, s = decode_scalars(proof)
        return weak(D, [times_base(s) - c * X, s * CARD.C1 - c * D]) == c

    D, proof = attack(weak)
    assert share(x, CARD) != D
    assert weakly_accepted(D, proof)
    # the card is ruined
    assert combine_shares(CARD, [D, *(share(s, CARD) for s in SECRETS[1:])]) not in PIECES

    assert refused(lambda: check_share(proof, X, CARD, D, PLACE))
    D, proof = attack(ours)
    assert refused(lambda: check_share(proof, X, CARD, D, PLACE))
    # with the true D the attacker's hash does equal ours
    D, omega = share(x, CARD), random_scalar(RNG)
    c = ours(D, [times_base(omega), omega * CARD.C1])
    check_share(encode([c, omega + c * x]), X, CARD, D, PLACE)


def test_unhashed_statement_allows_an_unowned_key() -> None:
    """With c = H(t): choose a t with unknown logarithm, any s, and X = (s·G − t)/c. Knowing x is
    equivalent to knowing the logarithm of t.
    """
    t, s = hash_to_point("anything", 2), random_scalar(RNG)
    weak = challenge(
        proof_context(PLACE, "knowledge of a discrete logarithm", [GENERATOR]), "c", [t]
    )
    nobodys = weak.inverse() * (times_base(s) - t)
    assert (
        challenge(
            proof_context(PLACE, "knowledge of a discrete logarithm", [GENERATOR]),
            "c",
            [times_base(s) - weak * nobodys],
        )
        == weak
    )
    assert refused(lambda: check_knowledge(encode([weak, s]), nobodys, PLACE))


# --- 2. a share proof that binds only part of the ciphertext ---


def test_share_proof_without_c2_opens_another_card() -> None:
    """Only C2 contains the piece. A proof that does not bind C2 holds for any card with the same
    C1.
    """

    def c1_only(D: Point, C1: Point, t: list[Point]) -> Scalar:
        return challenge(proof_context(PLACE, "c1 only", [GENERATOR, X, C1, D]), "c", t)

    def prove_c1_only(e: Ciphertext, D: Point) -> bytes:
        omega = random_scalar(RNG)
        c = c1_only(D, e.C1, [times_base(omega), omega * e.C1])
        return encode([c, omega + c * x])

    def weakly_accepted(proof: bytes, e: Ciphertext, D: Point) -> bool:
        c, s = decode_scalars(proof)
        return c1_only(D, e.C1, [times_base(s) - c * X, s * e.C1 - c * D]) == c

    better = Ciphertext(CARD.C1, CARD.C2 - PIECES[0] + PIECES[3])
    shares = [share(s, CARD) for s in SECRETS]
    weak = prove_c1_only(CARD, shares[0])
    assert weakly_accepted(weak, CARD, shares[0])
    assert weakly_accepted(weak, better, shares[0])
    assert combine_shares(CARD, shares) == PIECES[0]
    assert combine_shares(better, shares) == PIECES[3]

    proof = prove_share(x, X, CARD, shares[0], PLACE, RNG)
    check_share(proof, X, CARD, shares[0], PLACE)
    assert refused(lambda: check_share(proof, X, better, shares[0], PLACE))


# --- 3. a zero re-encryption scalar ---


def test_zero_mask_is_refused_beside_the_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    """The argument itself is right to accept it: the deck *is* a shuffle. A separate check
    therefore refuses it.
    """

    def careless(e: Ciphertext, r: Scalar) -> Ciphertext:
        return Ciphertext(e.C1 + times_base(r), e.C2 + r * PK)

    for e in (CLEAR, shuffle(CLEAR, PK, RNG)[0]):
        r = (random_scalar(RNG), ZERO, random_scalar(RNG), random_scalar(RNG))
        masked = [careless(card, k) for card, k in zip(e, r, strict=True)]
        psi = (2, 0, 3, 1)
        e_prime = [masked[j] for j in psi]
        assert e_prime.index(e[1]) == psi.index(1)  # everybody sees where card 1 went
        proof = prove_shuffle(e, e_prime, Witness(psi, r), PK, PLACE, RNG)
        with monkeypatch.context() as without:
            without.setattr(shuffle_module, "_all_masked", lambda *_: True)
            check_shuffle(proof, e, e_prime, PK, PLACE)
        assert refused(lambda p=proof, a=e, b=e_prime: check_shuffle(p, a, b, PK, PLACE))  # type: ignore[misc]
    with pytest.raises(ValueError, match="zero"):
        reencrypt(CARD, ZERO, PK)


def test_generator_returning_zero_is_asked_again() -> None:
    class Zeros(Random):
        left = 3

        def randbytes(self, n: int) -> bytes:
            self.left -= 1
            return bytes(n) if self.left >= 0 else super().randbytes(n)

    e_prime, witness = shuffle(CLEAR, PK, Zeros(1))
    assert not any(r.is_zero for r in witness.r_prime)
    assert not any(card.C1.is_identity for card in e_prime)


# --- 4. one scalar shared by all cards ---


def permutation_from_differences(
    e: tuple[Ciphertext, ...], e_prime: list[Ciphertext]
) -> list[int] | None:
    """With one r for all cards, C1' − C1 is r·G for each true pair: find the difference that occurs
    once in every row.
    """
    differences = [[after.C1 - before.C1 for before in e] for after in e_prime]
    commonest, count = Counter(d for row in differences for d in row).most_common(1)[0]
    return [row.index(commonest) for row in differences] if count == len(e) else None


def test_common_mask_reveals_the_permutation(monkeypatch: pytest.MonkeyPatch) -> None:
    e, _ = shuffle(CLEAR, PK, RNG)
    r, psi = random_scalar(RNG), (2, 0, 3, 1)
    lazy = [reencrypt(e[j], r, PK) for j in psi]
    assert permutation_from_differences(e, lazy) == list(psi)
    e_prime, _ = shuffle(e, PK, RNG)
    assert permutation_from_differences(e, list(e_prime)) is None

    # on a fresh deck everybody sees it, and it is refused
    first = [reencrypt(CLEAR[j], r, PK) for j in psi]
    proof = prove_shuffle(CLEAR, first, Witness(psi, (r,) * 4), PK, PLACE, RNG)
    assert refused(lambda: check_shuffle(proof, CLEAR, first, PK, PLACE))
    monkeypatch.setattr(shuffle_module, "_all_masked", lambda *_: True)
    check_shuffle(proof, CLEAR, first, PK, PLACE)


# --- 5. non-canonical encodings and trailing bytes ---


def test_second_encoding_of_a_proof_is_refused() -> None:
    def lenient(proof: bytes) -> None:
        c, s = (scalar_from_int(int.from_bytes(proof[at : at + 32], "little")) for at in (0, 32))
        check_knowledge(encode([c, s]), X, PLACE)

    proof = prove_knowledge(x, X, PLACE, RNG)
    larger = (int.from_bytes(proof[32:], "little") + ORDER).to_bytes(32, "little")
    for respelt in (proof[:32] + larger, proof + b"\0", proof + proof):
        lenient(respelt)
        assert refused(lambda raw=respelt: check_knowledge(raw, X, PLACE))  # type: ignore[misc]


@pytest.mark.parametrize("why", INVALID)
def test_invalid_point_in_proof_or_deck_is_refused(why: str) -> None:
    e_prime, witness = shuffle(CLEAR, PK, RNG)
    proof, raw = prove_shuffle(CLEAR, e_prime, witness, PK, PLACE, RNG), encode_ciphertexts(e_prime)
    for encoded in map(bytes.fromhex, INVALID[why]):
        assert refused(lambda p=proof[:-32] + encoded: check_shuffle(p, CLEAR, e_prime, PK, PLACE))  # type: ignore[misc]
        assert refused(lambda d=encoded + raw[32:]: decode_ciphertexts(d, 4))  # type: ignore[misc]
        assert refused(lambda d=raw[:-32] + encoded: decode_ciphertexts(d, 4))  # type: ignore[misc]


# --- 6. the identity as a key ---


def test_identity_key_has_valid_proof_and_is_refused() -> None:
    """Everybody knows the logarithm x = 0. A seat with that key has no part in hiding anything."""

    def weakly_accepted(proof: bytes, key: Point) -> bool:
        c, s = decode_scalars(proof)
        t = times_base(s) - c * key
        return challenge(proof_context(PLACE, "weak", [GENERATOR, key]), "c", [t]) == c

    omega = random_scalar(RNG)
    c = challenge(proof_context(PLACE, "weak", [GENERATOR, IDENTITY]), "c", [times_base(omega)])
    assert weakly_accepted(encode([c, omega]), IDENTITY)
    assert total([X, IDENTITY]) == X
    assert refused(
        lambda: check_knowledge(prove_knowledge(ZERO, IDENTITY, PLACE, RNG), IDENTITY, PLACE)
    )


# --- 7. a proof posted again by another seat ---


def test_key_proof_copied_by_another_seat_is_refused() -> None:
    """Seat 1 knows no logarithm of X_0, but can post key and proof if the proof does not name its
    seat.
    """
    nobody = ProofPlace(PLACE.deal, 0, b"", "key")  # wrong: the same for every seat
    copied = prove_knowledge(x, X, nobody, RNG)
    for _seat in (0, 1):
        check_knowledge(copied, X, nobody)

    first, second = (ProofPlace(PLACE.deal, seat, bytes([seat]) * 32, "key") for seat in (0, 1))
    proof = prove_knowledge(x, X, first, RNG)
    check_knowledge(proof, X, first)
    assert refused(lambda: check_knowledge(proof, X, second))
    assert refused(
        lambda: check_knowledge(proof, X, ProofPlace(PLACE.deal, 0, bytes([1]) * 32, "key"))
    )


def test_last_key_without_proof_controls_the_joint_key() -> None:
    y = random_scalar(RNG)
    rogue = times_base(y) - total(KEYS)
    assert joint_key([*KEYS, rogue]) == times_base(y)  # y alone opens every card
    assert refused(lambda: check_knowledge(prove_knowledge(y, rogue, PLACE, RNG), rogue, PLACE))


# --- 8. membership checked on a path that an optimisation skips ---


def test_libsodium_treats_invalid_point_bytes_as_identity() -> None:
    """A decoder leaves the check to the arithmetic, where garbage acts as the identity: a card in
    clear then looks masked, and no share of it adds anything.
    """

    def trusting(raw: bytes) -> Point:
        point = object.__new__(Point)
        object.__setattr__(point, "encoded", raw)
        return point

    garbage = trusting(b"\xff" * 32)
    r = (ZERO, *(random_scalar(RNG) for _ in range(3)))
    psi = (0, 1, 2, 3)
    e_prime = [Ciphertext(garbage, PIECES[0]), *(reencrypt(CLEAR[j], r[j], PK) for j in psi[1:])]
    proof = prove_shuffle(CLEAR, e_prime, Witness(psi, r), PK, PLACE, RNG)
    check_shuffle(proof, CLEAR, e_prime, PK, PLACE)  # with points that were never decoded
    assert combine_shares(e_prime[0], [share(s, e_prime[0]) for s in SECRETS]) == PIECES[0]

    assert refused(lambda: decode_ciphertexts(encode_ciphertexts(e_prime), 4))
    assert refused(lambda: Point(garbage.encoded))


def test_argument_refuses_deck_passing_the_sum_check() -> None:
    """ΣC2' − ΣC2 = R·pk says that the total is right; one card may grow by what another lost."""
    e_prime, witness = shuffle(CLEAR, PK, RNG)
    trick = [
        Ciphertext(e_prime[0].C1, e_prime[0].C2 + PIECES[1]),
        Ciphertext(e_prime[1].C1, e_prime[1].C2 - PIECES[1]),
        *e_prime[2:],
    ]
    R = sum(witness.r_prime, start=ZERO)
    assert total(card.C2 for card in trick) - total(card.C2 for card in CLEAR) == R * PK
    assert refused(
        lambda: check_shuffle(
            prove_shuffle(CLEAR, trick, witness, PK, PLACE, RNG), CLEAR, trick, PK, PLACE
        )
    )
