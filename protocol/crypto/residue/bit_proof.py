"""Proof of the bits of hidden numbers: one proof for any number of cards, without revealing a root.

z_j has bit β_j if v_j = z_j·(−1)^β_j is a residue. A root of v_j must stay secret: a seat that had
masked the card with its own r could divide the two and get a divisor of m. So the prover shows that
it knows roots ρ_j (Fiat and Shamir, 1986; Feige, Fiat and Shamir, 1988), in 80 rounds:

    a_k = t_k²      t_k fresh and uniform                    only c, the hash of all a_k, is sent
    e_kj            a bit for each round and number          hashed from c
    u_k = t_k / Πρ_j^{e_kj}                                  sent: uniform for any roots

The verifier computes a_k = u_k²·Πv_j^{e_kj} for all rounds and checks that their hash is c.

Soundness: if some v_j is no residue, a prover can answer at most half of all possible e_k for one
a_k. It chooses a_k before it can compute e_k, so each round fails with odds of one half. A prover
can try many hashes offline, so 80 rounds are used: each try succeeds with odds of 2^-80.
"""

from collections.abc import Sequence
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, derive, digest, expand
from protocol.crypto.proof_context import ProofPlace, statement_context
from protocol.crypto.residue.arithmetic import FASTEST, are_half_units, encoded
from protocol.crypto.residue.cards import check_numbers
from protocol.crypto.residue.keys import PublicKey, SecretKey
from protocol.errors import RemoteError

KIND = "residue bits"
ROUNDS = 80
HASH = 32  # bytes
_SPARE = 16  # extra bytes before reduction, for a bias below 2^-128


def proof_size(m: int) -> int:
    """Return the bytes of a proof: a hash and 80 numbers, for any number of bits."""
    return HASH + ROUNDS * PublicKey(m).width


def prove_bits(
    secret: SecretKey, numbers: Sequence[int], place: ProofPlace, rng: Random
) -> tuple[tuple[int, ...], bytes]:
    """Return the bits of these numbers with a proof, valid in this place only.

    Raises: RemoteError(BAD_NUMBER), as `check_numbers`.
    """
    m = secret.m
    check_numbers(numbers, m)
    opened = [secret.bit_and_root(z) for z in numbers]
    bits = tuple(bit for bit, _ in opened)
    roots = FASTEST.to_native([root for _, root in opened])
    context = _context(m, numbers, bits, place)
    fresh = _fresh_roots(secret, context, rng)
    c = _hash(context, [t * t % m for t in fresh], m)
    products = [_multiply_chosen(1, roots, e, m) for e in _challenge(c, len(numbers))]
    answers = [t * pow(product, -1, m) % m for t, product in zip(fresh, products, strict=True)]
    return bits, c + encoded([min(u, m - u) for u in answers], secret.public.width)


def check_bits(
    m: int, numbers: Sequence[int], bits: Sequence[int], proof: object, place: ProofPlace
) -> None:
    """Check that `bits` are the bits of these numbers; the numbers must have passed
    `check_numbers`.

    Raises: RemoteError(BAD_PROOF).
    """
    fits = len(bits) == len(numbers) and all(bit in (0, 1) for bit in bits)
    if not fits or type(proof) is not bytes or len(proof) != proof_size(m):
        raise RemoteError(Code.BAD_PROOF)
    c = proof[:HASH]
    answers = FASTEST.numbers(proof[HASH:], PublicKey(m).width)
    residues = FASTEST.to_native(_residues(m, numbers, bits))
    if not are_half_units(answers, m):
        raise RemoteError(Code.BAD_PROOF)
    chosen = zip(answers, _challenge(c, len(numbers)), strict=True)
    commitments = [_multiply_chosen(u * u % m, residues, e, m) for u, e in chosen]
    if not constant_time_equal(_hash(_context(m, numbers, bits, place), commitments, m), c):
        raise RemoteError(Code.BAD_PROOF)


def _residues(m: int, numbers: Sequence[int], bits: Sequence[int]) -> list[int]:
    return [m - z if bit else z for z, bit in zip(numbers, bits, strict=True)]


def _fresh_roots(secret: SecretKey, context: bytes, rng: Random) -> list[int]:
    """Return t_1 … t_80 from fresh randomness, the key and the context.

    Key and context are included in case the randomness repeats itself. One t under two challenges
    would reveal a root.
    """
    width = secret.public.width
    seed = derive(
        rng.randbytes(32) + secret.p.to_bytes(width, "little"), "residue openings", context
    )
    hashed = expand("residue openings", seed, length=ROUNDS * (width + _SPARE))
    return [t % secret.m for t in FASTEST.numbers(hashed, width + _SPARE)]


def _challenge(c: bytes, numbers: int) -> list[int]:
    """Return the challenge e of each round, as the bits of one integer."""
    each = (numbers + 7) // 8
    hashed = expand("residue opening challenge", c, length=ROUNDS * each)
    return [int.from_bytes(hashed[at * each : (at + 1) * each], "little") for at in range(ROUNDS)]


def _multiply_chosen(value: int, factors: Sequence[int], chosen: int, m: int) -> int:
    """Multiply `value` by those factors whose bit is set in `chosen`."""
    for j, factor in enumerate(factors):
        if chosen >> j & 1:
            value = value * factor % m
    return value


def _hash(context: bytes, commitments: Sequence[int], m: int) -> bytes:
    return digest("residue opening", context, encoded(commitments, PublicKey(m).width))


def _context(m: int, numbers: Sequence[int], bits: Sequence[int], place: ProofPlace) -> bytes:
    key = PublicKey(m)
    return statement_context(place, KIND, key.encoded, encoded(numbers, key.width), bytes(bits))
