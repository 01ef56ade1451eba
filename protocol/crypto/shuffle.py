"""Shuffle of a deck by re-encryption and permutation, with a proof that no card was changed, lost
or doubled.

The proof is the argument of Terelius and Wikström ("Proofs of restricted shuffles", AFRICACRYPT
2010). The form is that of Haenni, Locher, Koenig and Dubuis ("Pseudo-code algorithms for verifiable
re-encryption mix-nets", FC 2017 workshops), in additive notation and with their letters:

    e, e'       decks before and after; the paper's ciphertext (a, b) is (C2, C1) in this code
    pk          joint key
    ψ           the permutation (j_1 … j_N): e'_i is card j_i of e, re-encrypted by r'_{j_i}
    h, h_i      generators with unknown logarithms
    c, r        commitment to ψ: c_{j_i} = r_{j_i}·G + h_i
    u, u'       N challenges; the same in the order of ψ: u'_i = u_{j_i}
    ĉ, r̂        commitment chain: ĉ_0 = h, ĉ_i = r̂_i·G + u'_i·ĉ_{i−1}
    ω, t, y, s  one sigma protocol over all of this: secrets, commitments, challenge, answers
                (the paper calls the challenge c)

Soundness: c_1 … c_N can be opened to the columns of only one matrix M, as long as nobody knows a
logarithm between the generators. M is a permutation matrix exactly if its rows sum to one and
Π(M·u)_i = Πu_i as polynomials in u. Otherwise the two sides agree for random u with odds of at most
N/2^252. t_1 proves the sums, the t̂_i and t_2 the product, and t_3 that u' = M·u. t_4 proves that
Σu'_i·e'_i is Σu_i·e_i re-encrypted. For random u this holds, up to odds of 2^-252, only if every
e'_i is e_{j_i} re-encrypted.

The code differs from the paper in two points, without a change to the proved statement. The proof
contains the challenge instead of t, which is a fifth shorter. The verifier computes t from the
rest, and its hash must equal the challenge. Both hashes include the whole statement and its place
(`proof_context`), with pk and the generators, instead of the decks alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import mul
from random import Random

from protocol.codes import Code
from protocol.crypto.elgamal import Ciphertext, reencrypt
from protocol.crypto.group import (
    ELEMENT_BYTES,
    GENERATOR,
    ONE,
    Point,
    Scalar,
    decode_points,
    decode_scalars,
    dot,
    encode,
    hash_to_point,
    linear_combination,
    random_scalar,
    times_base,
    total,
)
from protocol.crypto.proof_context import (
    ProofPlace,
    challenge,
    challenges,
    proof_context,
    secret_scalars,
)
from protocol.errors import RemoteError
from protocol.limits import MAX_PILE

Deck = Sequence[Ciphertext]


@dataclass(frozen=True, slots=True)
class Generators:
    """Generators h and h_1 … h_N, independent of each other and of G; `h_sum` is Σh_i."""

    h: Point
    h_i: tuple[Point, ...]
    h_sum: Point


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """Secrets of the shuffler: ψ (counted from 0), and the r' that masked each card of the deck
    before.
    """

    psi: tuple[int, ...]
    r_prime: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """Challenge y, answers s_1 … s_4, ŝ_i, s'_i, and commitments c_i, ĉ_i."""

    y: Scalar
    s: tuple[Scalar, ...]
    s_hat: tuple[Scalar, ...]
    s_prime: tuple[Scalar, ...]
    c: tuple[Point, ...]
    c_hat: tuple[Point, ...]


def proof_size(N: int) -> int:
    """Return the bytes of a proof for N cards: 5 + 2N scalars and 2N points."""
    return (5 + 4 * N) * ELEMENT_BYTES


@lru_cache(maxsize=MAX_PILE)
def generators(N: int) -> Generators:
    """Return h and h_1 … h_N for decks of N cards, by hashing to the group; the same in every
    deal.
    """
    h_i = tuple(hash_to_point("shuffle generator", i) for i in range(1, N + 1))
    return Generators(hash_to_point("shuffle generator", 0), h_i, total(h_i))


def random_permutation(N: int, rng: Random) -> tuple[int, ...]:
    """Return a uniform permutation of N places (GenPermutation; Fisher and Yates' shuffle).

    `rng` draws by rejection, so each of the N! permutations is equally likely.
    """
    psi = list(range(N))
    rng.shuffle(psi)
    return tuple(psi)


def shuffle(e: Deck, pk: Point, rng: Random) -> tuple[tuple[Ciphertext, ...], Witness]:
    """Shuffle a deck (GenShuffle): return e' with e'_i = e_{j_i} + r'_{j_i}·(G, pk), and the
    witness (ψ, r').

    Every r' is drawn afresh and is not zero. Raises: ValueError for no cards or more than 208.
    """
    N = len(e)
    if not 1 <= N <= MAX_PILE:
        raise ValueError("a deck of 1 to 208 cards")
    r_prime = tuple(random_scalar(rng) for _ in range(N))
    psi = random_permutation(N, rng)
    masked = [reencrypt(card, r, pk) for card, r in zip(e, r_prime, strict=True)]
    return tuple(masked[j] for j in psi), Witness(psi, r_prime)


def prove_shuffle(
    e: Deck, e_prime: Deck, witness: Witness, pk: Point, place: ProofPlace, rng: Random
) -> bytes:
    """Prove in `proof_size(N)` bytes that e' is a shuffle of e, valid in this place only
    (GenShuffleProof).

    Answers: s_k = ω_k + y·(r̄, r̂, r̃, r')_k, ŝ_i = ω̂_i + y·r̂_i, s'_i = ω'_i + y·u'_i. Here r̄ =
    Σr_i, r̂ = Σr̂_i·v_i (v from `_tail_products`), r̃ = Σr_i·u_i, r' = Σr'_i·u_i.
    """
    N = len(e)
    gens = generators(len(e))
    psi = witness.psi
    r_prime = witness.r_prime
    context = _context(e, e_prime, pk, gens, place)
    draw = secret_scalars(bytes(psi) + encode(r_prime), context, 4 * N + 4, rng)

    c, r = _permutation_commitment(psi, gens, draw)
    u = challenges(context, "u", N, c)
    u_prime = [u[j] for j in psi]
    c_hat, r_hat = _commitment_chain(u_prime, gens.h, draw)

    omega = _draw_scalars(draw, 4)
    omega_hat = _draw_scalars(draw, N)
    omega_prime = _draw_scalars(draw, N)
    t = _commitments(omega, omega_hat, omega_prime, c_hat, e_prime, pk)
    y = challenge(context, "c", [*c, *c_hat, *t])

    ones = [ONE] * N
    # r̄, r̂, r̃, r'
    hidden = (dot(r, ones), dot(r_hat, _tail_products(u_prime)), dot(r, u), dot(r_prime, u))
    s = [w + y * x for w, x in zip(omega, hidden, strict=True)]
    s_hat = [w + y * x for w, x in zip(omega_hat, r_hat, strict=True)]
    s_prime = [w + y * x for w, x in zip(omega_prime, u_prime, strict=True)]
    return encode([y, *s, *s_hat, *s_prime, *c, *c_hat])


def _permutation_commitment(
    psi: Sequence[int], gens: Generators, draw: Iterator[Scalar]
) -> tuple[list[Point], list[Scalar]]:
    """Return c and r with c_{j_i} = r_{j_i}·G + h_i (GenPermutationCommitment)."""
    r = _draw_scalars(draw, len(psi))
    c = [gens.h] * len(psi)
    for j, h_i in zip(psi, gens.h_i, strict=True):
        c[j] = times_base(r[j]) + h_i
    return c, r


def _commitment_chain(
    u_prime: Sequence[Scalar], h: Point, draw: Iterator[Scalar]
) -> tuple[list[Point], list[Scalar]]:
    """Return ĉ and r̂ with ĉ_i = r̂_i·G + u'_i·ĉ_{i−1} and ĉ_0 = h (GenCommitmentChain)."""
    r_hat = _draw_scalars(draw, len(u_prime))
    c_hat = []
    last = h
    for r, u in zip(r_hat, u_prime, strict=True):
        last = times_base(r) + u * last
        c_hat.append(last)
    return c_hat, r_hat


def _tail_products(u_prime: Sequence[Scalar]) -> list[Scalar]:
    """Return v with v_N = 1 and v_{i−1} = u'_i·v_i; then ĉ_N = (Σr̂_i·v_i)·G + (Πu_i)·h."""
    v = [ONE]
    for u in reversed(u_prime[1:]):
        v.append(u * v[-1])
    return v[::-1]


def _commitments(
    omega: Sequence[Scalar],
    omega_hat: Sequence[Scalar],
    omega_prime: Sequence[Scalar],
    c_hat: Sequence[Point],
    e_prime: Deck,
    pk: Point,
) -> list[Point]:
    """Return the prover's commitments t.

    t_1 = ω_1·G, t_2 = ω_2·G, t_3 = ω_3·G + Σω'_i·h_i,
    t_4 = −ω_4·(pk, G) + Σω'_i·e'_i, t̂_i = ω̂_i·G + ω'_i·ĉ_{i−1}.
    """
    gens = generators(len(e_prime))
    t1 = times_base(omega[0])
    t2 = times_base(omega[1])
    t3 = times_base(omega[2]) + linear_combination(omega_prime, gens.h_i)
    t41 = linear_combination(omega_prime, [e.C2 for e in e_prime]) - omega[3] * pk
    t42 = linear_combination(omega_prime, [e.C1 for e in e_prime]) - times_base(omega[3])
    chain = zip(omega_hat, omega_prime, [gens.h, *c_hat[:-1]], strict=True)
    return [t1, t2, t3, t41, t42, *(times_base(w_hat) + w * before for w_hat, w, before in chain)]


def check_shuffle(proof: object, e: Deck, e_prime: Deck, pk: Point, place: ProofPlace) -> None:
    """Check that e' is a shuffle of e in which every card is masked (CheckShuffleProof).

    Raises: RemoteError(BAD_PROOF) for any failure.
    """
    N = len(e)
    if len(e_prime) != N or not 1 <= N <= MAX_PILE or pk.is_identity or not _all_masked(e, e_prime):
        raise RemoteError(Code.BAD_PROOF)
    decoded = _decode(proof, N)
    gens = generators(N)
    context = _context(e, e_prime, pk, gens, place)
    u = challenges(context, "u", N, decoded.c)
    t = _commitments_from_answers(decoded, u, e, e_prime, pk, gens)
    if challenge(context, "c", [*decoded.c, *decoded.c_hat, *t]) != decoded.y:
        raise RemoteError(Code.BAD_PROOF)


def _commitments_from_answers(
    proof: ShuffleProof, u: Sequence[Scalar], e: Deck, e_prime: Deck, pk: Point, gens: Generators
) -> list[Point]:
    """Compute the commitments t from the answers.

    With c̄ = Σc_i − Σh_i, ĉ = ĉ_N − (Πu_i)·h, c̃ = Σu_i·c_i, ẽ = Σu_i·e_i:

        t_1 = s_1·G − y·c̄, t_2 = s_2·G − y·ĉ, t_3 = s_3·G + Σs'_i·h_i − y·c̃,
        t_4 = −s_4·(pk, G) + Σs'_i·e'_i − y·ẽ, t̂_i = ŝ_i·G + s'_i·ĉ_{i−1} − y·ĉ_i.
    """
    y, (s1, s2, s3, s4), s_prime, c_hat = proof.y, proof.s, proof.s_prime, proof.c_hat
    c_bar = total(proof.c) - gens.h_sum
    c_end = c_hat[-1] - reduce(mul, u) * gens.h
    c_tilde = linear_combination(u, proof.c)
    t1 = times_base(s1) - y * c_bar
    t2 = times_base(s2) - y * c_end
    t3 = times_base(s3) + linear_combination(s_prime, gens.h_i) - y * c_tilde
    t41 = (
        linear_combination(s_prime, [x.C2 for x in e_prime])
        - s4 * pk
        - y * linear_combination(u, [x.C2 for x in e])
    )
    t42 = (
        linear_combination(s_prime, [x.C1 for x in e_prime])
        - times_base(s4)
        - y * linear_combination(u, [x.C1 for x in e])
    )
    chain = zip(proof.s_hat, s_prime, [gens.h, *c_hat[:-1]], c_hat, strict=True)
    t_hat = [times_base(s_hat) + s * before - y * after for s_hat, s, before, after in chain]
    return [t1, t2, t3, t41, t42, *t_hat]


def _all_masked(e: Deck, e_prime: Deck) -> bool:
    """Check that no card is unencrypted, unchanged, or masked like another card.

    A zero r', or one r' for all cards, would reveal the order. The proof is sound without this
    check. Honest decks fail the check with odds below 2^-230.
    """
    before = {x.C1 for x in e}
    after = {x.C1 for x in e_prime}
    return (
        len(after) == len(e_prime)
        and not after & before
        and not any(point.is_identity for point in after)
    )


def _context(e: Deck, e_prime: Deck, pk: Point, gens: Generators, place: ProofPlace) -> bytes:
    cards = (point for x in (*e, *e_prime) for point in (x.C1, x.C2))
    return proof_context(place, "shuffle", [GENERATOR, gens.h, *gens.h_i, pk, *cards])


def _decode(proof: object, N: int) -> ShuffleProof:
    if type(proof) is not bytes or len(proof) != proof_size(N):
        raise RemoteError(Code.BAD_PROOF)
    split = (5 + 2 * N) * ELEMENT_BYTES
    try:
        scalars = tuple(decode_scalars(proof[:split]))
        points = tuple(decode_points(proof[split:]))
    except RemoteError:
        raise RemoteError(Code.BAD_PROOF) from None
    return ShuffleProof(
        scalars[0], scalars[1:5], scalars[5 : 5 + N], scalars[5 + N :], points[:N], points[N:]
    )


def _draw_scalars(draw: Iterator[Scalar], count: int) -> list[Scalar]:
    return [next(draw) for _ in range(count)]
