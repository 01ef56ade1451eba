"""The proofs in tiny groups in which every challenge and every answer can be tried; with q = 5,
chances are fifths.

The module also has a worked example by hand, and ristretto255 under the second implementation
(`second_eyes`).
"""

import hashlib
import hmac
from itertools import permutations, product
from random import Random

import pytest

from protocol.crypto.elgamal import clear_ciphertext
from protocol.crypto.group import GENERATOR, Point, hash_to_point, random_scalar, times_base
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.shuffle import Witness, check_shuffle, generators, prove_shuffle, shuffle
from tests.unit.protocol.crypto.reference_shuffle import (
    RISTRETTO,
    SQUARES,
    Answers,
    Commitments,
    Prover,
    Public,
    formal,
    mask,
    permutation_matrix,
    t_from_answers,
)

Z5 = range(5)
ELEMENTS = [1, 3, 9, 5, 4]  # 3^0 … 3^4 modulo 11
LOG = {element: k for k, element in enumerate(ELEMENTS)}


def power(x: int, k: int) -> int:
    return pow(x, k % 5, 11)


# --- the two sigma protocols, exhaustively ---


def knowledge_holds(X: int, t: int, c: int, s: int) -> bool:
    return power(3, s) * power(X, -c) % 11 == t


def equality_holds(X: int, H: int, Y: int, t1: int, t2: int, c: int, s: int) -> bool:
    return power(3, s) * power(X, -c) % 11 == t1 and power(H, s) * power(Y, -c) % 11 == t2


def test_logarithm_proof_matches_calculation_by_hand() -> None:
    """x = 2, X = 3² = 9. ω = 4, t = 3⁴ = 4. c = 3: s = 4 + 3·2 = 10 = 0. Check: 3⁰·9⁻³ = 9² = 81 =
    4. ✓
    """
    assert knowledge_holds(X=9, t=4, c=3, s=0)
    assert [s for s in Z5 if knowledge_holds(9, 4, 3, s)] == [0]


def test_two_answers_to_one_commitment_reveal_the_logarithm() -> None:
    for X, t in product(ELEMENTS, ELEMENTS):
        accepted = [(c, s) for c, s in product(Z5, Z5) if knowledge_holds(X, t, c, s)]
        assert len(accepted) == 5  # one answer to each challenge
        for (c, s), (c2, s2) in product(accepted, accepted):
            if c != c2:
                assert (s - s2) * pow(c - c2, -1, 5) % 5 == LOG[X]


def test_simulated_transcripts_have_the_same_distribution() -> None:
    for X in ELEMENTS:
        honest = sorted((power(3, w), c, (w + c * LOG[X]) % 5) for w, c in product(Z5, Z5))
        simulated = sorted((power(3, s) * power(X, -c) % 11, c, s) for c, s in product(Z5, Z5))
        assert honest == simulated


def test_false_equality_answers_one_challenge_and_true_one_all() -> None:
    for X, H, Y in product(ELEMENTS, ELEMENTS[1:], ELEMENTS):
        true = power(H, LOG[X]) == Y
        answerable = []
        for t1, t2 in product(ELEMENTS, ELEMENTS):
            good = {c for c, s in product(Z5, Z5) if equality_holds(X, H, Y, t1, t2, c, s)}
            answerable.append(len(good))
            assert not true or (len(good) == 5) == (power(H, LOG[t1]) == t2)
        assert set(answerable) == ({0, 5} if true else {1})


def test_equality_with_identity_base_proves_nothing() -> None:
    """H = Y = 1: t₂ is 1 whatever the answer, so nothing is shown about Y. The identity is refused
    for this reason.
    """
    for X, c, s in product(ELEMENTS, Z5, Z5):
        assert equality_holds(X, 1, 1, power(3, s) * power(X, -c) % 11, 1, c, s)


# --- the shuffle ---


def public(psi: tuple[int, ...], r_prime: tuple[int, ...]) -> Public:
    """Return messages, generators and key in the squares modulo 11; there are few, so some
    coincide.
    """
    pk, N = 4, len(psi)
    e = tuple(mask(SQUARES, pk, (ELEMENTS[(2 * k + 3) % 5], 1), k) for k in range(N))
    masked = [mask(SQUARES, pk, card, r) for card, r in zip(e, r_prime, strict=True)]
    return Public(4, (5, 9, 3)[:N], pk, e, tuple(masked[j] for j in psi))


def accepts(
    group: object, x: Public, made: Commitments, u: object, y: int, answers: Answers
) -> bool:
    return t_from_answers(group, x, made.c, made.c_hat, u, y, answers) == made.t  # type: ignore[arg-type]


def test_shuffle_matches_calculation_by_hand() -> None:
    """Modulo 11, exponents modulo 5, g = 3, h = 4, h₁ = 5, h₂ = 9, pk = 4; N = 2.

    e = ((5, 1), (9, 1)), r' = (2, 3), pk² = 5, g² = 9, pk³ = 9, g³ = 5:
        masked: (5·5, 9) = (3, 9) and (9·9, 5) = (4, 5); ψ = (2, 1), so e' = ((4, 5), (3, 9)).
    r = (1, 2):           c₂ = g²·h₁ = 9·5 = 1,   c₁ = g¹·h₂ = 3·9 = 5.        c = (5, 1)
    u = (2, 3):           u' = (3, 2).
    r̂ = (4, 1):           ĉ₁ = g⁴·h³ = 4·9 = 3,   ĉ₂ = g·ĉ₁² = 3·9 = 5.        ĉ = (3, 5)
    ω = (1, 2, 3, 4), ω̂ = (2, 3), ω' = (1, 4):
        t₁ = g = 3,  t₂ = g² = 9,  t₃ = g³·h₁·h₂⁴ = 5·5·5 = 4,
        t₄₁ = pk⁻⁴·4·3⁴ = 4·4·4 = 9,  t₄₂ = g⁻⁴·5·9⁴ = 3·5·5 = 9,
        t̂₁ = g²·h = 9·4 = 3,  t̂₂ = g³·ĉ₁⁴ = 5·4 = 9.
    Challenge 2. r̄ = 1+2 = 3,  r̂ = 4·2+1 = 4,  r̃ = 1·2+2·3 = 3,  r' = 2·2+3·3 = 3:
        s = (1+6, 2+8, 3+6, 4+6) = (2, 0, 4, 0),  ŝ = (2+8, 3+2) = (0, 0),  s' = (1+6, 4+4) = (2,
        3).
    Check: c̄ = 5·1/(5·9) = 5 (9 is the inverse of 5), 5⁻² = 4, and g²·4 = 9·4 = 3 = t₁.  Πu = 6 =
    1, ĉ = 5/4 = 4,
        4⁻² = 9, and g⁰·9 = 9 = t₂.  The other five likewise.
    """
    x = Public(4, (5, 9), 4, ((5, 1), (9, 1)), ((4, 5), (3, 9)))
    assert mask(SQUARES, 4, (5, 1), 2) == (3, 9)
    assert mask(SQUARES, 4, (9, 1), 3) == (4, 5)
    coins = [1, 2, 4, 1, 2, 3, 1, 4, 1, 2, 3, 4]  # r, r̂, ω̂, ω', ω
    prover = Prover(SQUARES, x, permutation_matrix((1, 0)), (2, 3), coins)
    made = prover.commit((2, 3))
    assert made == Commitments((5, 1), (3, 5), (3, 9, 4, 9, 9, 3, 9))
    answers = prover.answer(2)
    assert answers == Answers((2, 0, 4, 0), (0, 0), (2, 3))
    assert accepts(SQUARES, x, made, (2, 3), 2, answers)


@pytest.mark.parametrize("psi", [psi for N in (1, 2, 3) for psi in permutations(range(N))])
def test_every_honest_shuffle_is_accepted_under_every_challenge(psi: tuple[int, ...]) -> None:
    N, rng = len(psi), Random(str(psi))
    r_prime = tuple(rng.randrange(1, 5) for _ in psi)
    x = public(psi, r_prime)
    for u in product(Z5, repeat=N):
        prover = Prover(
            SQUARES,
            x,
            permutation_matrix(psi),
            r_prime,
            [rng.randrange(5) for _ in range(4 * N + 4)],
        )
        made = prover.commit(u)
        for y in Z5:
            assert accepts(SQUARES, x, made, u, y, prover.answer(y))


# Formal products of g, h, h₁, h₂, pk and three messages: no two are related, so c opens in one way
# only.
FORMAL, (_, H, H1, H2, PK, M1, M2, M3) = formal(8)
R_PRIME = (2, 3)
DECK = ((M1, FORMAL.one), (M2, FORMAL.one))
FIRST, SECOND = (mask(FORMAL, PK, card, r) for card, r in zip(DECK, R_PRIME, strict=True))
OUTCOMES = {
    "kept": (FIRST, SECOND),
    "swapped": (SECOND, FIRST),
    "doubled": (FIRST, FIRST),
    "dropped": (mask(FORMAL, PK, (M3, FORMAL.one), 2), SECOND),
    "halves mixed": ((FIRST[0], SECOND[1]), (SECOND[0], FIRST[1])),
}


def relation(M: tuple[tuple[int, int], ...], u: tuple[int, int], e_prime: object) -> bool:
    """Compute from the polynomials alone the statement of the argument for this matrix and this
    u.
    """
    v = [(row[0] * u[0] + row[1] * u[1]) % 5 for row in M]
    sums = all(sum(row) % 5 == 1 for row in M)
    products = v[0] * v[1] % 5 == u[0] * u[1] % 5
    hidden = sum(r * k for r, k in zip(R_PRIME, u, strict=True))
    for half, base in ((0, PK), (1, FORMAL.g)):
        left = FORMAL.product([card[half] for card in e_prime], v)  # type: ignore[attr-defined]
        if left != FORMAL.product([base, *(card[half] for card in DECK)], [hidden, *u]):
            return False
    return sums and products


@pytest.mark.slow
@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("entries", [2, 3])
def test_prover_acceptance_rate_matches_the_polynomials(outcome: str, entries: int) -> None:
    """Every 2×2 matrix with entries below 2 (all five challenges) or 3 (challenge 1), and every u.
    Where the relation fails, the prover passes at challenge 0 only, which is one in five; where it
    holds, always.
    """
    x = Public(H, (H1, H2), PK, DECK, OUTCOMES[outcome])
    challenges = Z5 if entries == 2 else [1]
    rng = Random(entries)
    for flat in product(range(entries), repeat=4):
        M = (flat[:2], flat[2:])
        coins = [rng.randrange(5) for _ in range(12)]
        good = 0
        for u in product(Z5, Z5):
            prover = Prover(FORMAL, x, M, R_PRIME, coins)
            made = prover.commit(u)
            holds = relation(M, u, x.e_prime)  # type: ignore[arg-type]
            good += holds
            for y in challenges:
                assert accepts(FORMAL, x, made, u, y, prover.answer(y)) == (holds or y == 0), (
                    M,
                    u,
                    y,
                )
        right = {"kept": ((1, 0), (0, 1)), "swapped": ((0, 1), (1, 0))}.get(outcome)
        # Schwartz–Zippel: at most N/q of all u
        assert good == 25 if right == M else good <= 10, (M, good)


def matrix_is_a_permutation(M: tuple[tuple[int, int], ...]) -> bool:
    return M in (((1, 0), (0, 1)), ((0, 1), (1, 0)))


def test_only_permutation_matrices_pass_over_two_fifths_of_challenges() -> None:
    """All 625 matrices: the Schwartz–Zippel bound N/q on which the argument rests."""
    for flat in product(Z5, repeat=4):
        M = (flat[:2], flat[2:])
        if any(sum(row) % 5 != 1 for row in M):
            continue
        agree = sum(
            (M[0][0] * u + M[0][1] * v) * (M[1][0] * u + M[1][1] * v) % 5 == u * v % 5
            for u, v in product(Z5, Z5)
        )
        assert agree == 25 if matrix_is_a_permutation(M) else agree <= 10, M


LIES = [
    ("doubled", ((1, 0), (0, 1))),
    ("doubled", ((1, 0), (1, 0))),  # the matrix fits the cards and is no permutation matrix
    ("dropped", ((1, 0), (0, 1))),
    ("halves mixed", ((1, 0), (0, 1))),
    ("kept", ((0, 1), (1, 0))),  # a permutation, but another than the shuffle's
    ("kept", ((3, 3), (3, 3))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("outcome", "M"), LIES)
def test_false_shuffle_answers_at_most_one_challenge(
    outcome: str, M: tuple[tuple[int, int], ...]
) -> None:
    """All answers to all five challenges, for commitments of a prover that guesses the challenge
    and for random ones.
    """
    x = Public(H, (H1, H2), PK, DECK, OUTCOMES[outcome])
    rng, u = Random(str(M) + outcome), (2, 3)
    assert not relation(M, u, x.e_prime)
    for attempt in range(6):
        made = Prover(FORMAL, x, M, R_PRIME, [rng.randrange(5) for _ in range(12)]).commit(u)
        guess = rng.randrange(5)
        lie = Answers(*(tuple(rng.randrange(5) for _ in range(n)) for n in (4, 2, 2)))
        t = t_from_answers(FORMAL, x, made.c, made.c_hat, u, guess, lie)
        if attempt % 2:
            t = tuple(tuple(rng.randrange(5) for _ in range(8)) for _ in t)
        assert [y for y in Z5 if _has_answer(x, made, t, u, y)] == ([] if attempt % 2 else [guess])


def _has_answer(
    x: Public, made: Commitments, t: tuple[object, ...], u: tuple[int, int], y: int
) -> bool:
    """Return whether any (s, ŝ, s') is right. Each s and ŝ occurs with s' alone, so that all 5⁸
    take 25·5 attempts; s₄ has to fit both halves of t₄.
    """
    parts = [slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 5), slice(5, 6), slice(6, 7)]
    for s_prime in product(Z5, Z5):
        tries = [
            t_from_answers(FORMAL, x, made.c, made.c_hat, u, y, Answers((k,) * 4, (k, k), s_prime))
            for k in Z5
        ]
        if all(any(again[part] == t[part] for again in tries) for part in parts):
            return True
    return False


# --- ristretto255: ours against the second implementation ---

PLACE = ProofPlace(deal=bytes(range(32)), seat=2, identity=bytes(32), purpose="shuffle", position=1)


def framed(label: str, *fields: object) -> bytes:
    out = b""
    for field in ("fairdeal/1", label, *fields):
        if isinstance(field, int):
            out += b"i" + (8).to_bytes(4, "big") + field.to_bytes(8, "big")
        else:
            raw = field.encode() if isinstance(field, str) else bytes(field)  # type: ignore[call-overload]
            out += (b"s" if isinstance(field, str) else b"b") + len(raw).to_bytes(4, "big") + raw
    return out


def hkdf(info: bytes, length: int) -> bytes:
    prk = hmac.digest(bytes(64), b"", "sha512")
    out, last = b"", b""
    for block in range(1, length // 64 + 1):
        last = hmac.digest(prk, last + info + bytes([block]), "sha512")
        out += last
    return out


def wide(raw: bytes) -> int:
    return int.from_bytes(raw, "little") % RISTRETTO.q


@pytest.mark.parametrize("N", [1, 2, 5])
def test_shuffle_proof_is_accepted_by_second_implementation(N: int) -> None:
    """The verifier starts from the bytes: encoding, hashes (by hashlib and hmac) and equations,
    without shared code.
    """
    rng = Random(N)
    pk = times_base(random_scalar(rng))
    e, _ = shuffle([clear_ciphertext(hash_to_point("piece", k)) for k in range(N)], pk, rng)
    e_prime, witness = shuffle(e, pk, rng)
    proof = prove_shuffle(e, e_prime, witness, pk, PLACE, rng)
    words = [proof[k : k + 32] for k in range(0, len(proof), 32)]
    numbers = [int.from_bytes(word, "little") for word in words[: 5 + 2 * N]]
    points = words[5 + 2 * N :]
    answers = Answers(tuple(numbers[1:5]), tuple(numbers[5 : 5 + N]), tuple(numbers[5 + N :]))
    c, c_hat = [Point(raw) for raw in points[:N]], [Point(raw) for raw in points[N:]]
    h = [hash_to_point("shuffle generator", i) for i in range(N + 1)]

    cards = [raw for x in (*e, *e_prime) for raw in (x.C1.encoded, x.C2.encoded)]
    statement = [GENERATOR.encoded, *(point.encoded for point in h), pk.encoded, *cards]
    bound = (PLACE.deal, PLACE.seat, PLACE.identity, PLACE.purpose, PLACE.position)
    context = hashlib.sha256(framed("proof context", *bound, "shuffle", *statement)).digest()
    seed = hashlib.sha256(framed("proof challenges", context, "u", N, *points[:N])).digest()
    expanded = hkdf(framed("proof challenges", seed), 64 * N)
    u = [wide(expanded[64 * k : 64 * k + 64]) for k in range(N)]
    x = Public(
        h[0], tuple(h[1:]), pk, tuple((k.C2, k.C1) for k in e), tuple((k.C2, k.C1) for k in e_prime)
    )
    t = t_from_answers(RISTRETTO, x, c, c_hat, u, numbers[0], answers)
    again = hkdf(
        framed("proof challenge", context, "c", *points, *(point.encoded for point in t)), 64
    )
    assert wide(again) == numbers[0]


def test_generators_are_independent_and_equal_for_all_sizes() -> None:
    large = generators(208)
    assert len({GENERATOR, large.h, *large.h_i}) == 210
    assert generators(52).h_i == large.h_i[:52]
    assert large.h_i[6] == hash_to_point("shuffle generator", 7)


def test_witness_of_another_shuffle_is_refused() -> None:
    rng = Random(5)
    pk = times_base(random_scalar(rng))
    e, _ = shuffle([clear_ciphertext(hash_to_point("piece", k)) for k in range(4)], pk, rng)
    e_prime, witness = shuffle(e, pk, rng)
    check_shuffle(prove_shuffle(e, e_prime, witness, pk, PLACE, rng), e, e_prime, pk, PLACE)
    other = Witness(witness.psi[::-1], witness.r_prime)
    with pytest.raises(Exception, match="proof"):
        check_shuffle(prove_shuffle(e, e_prime, other, pk, PLACE, rng), e, e_prime, pk, PLACE)
