"""Proof that m is the product of exactly two primes, both 3 modulo 4.

Then m − 1 is a pseudo-square, and bits are well defined. The proof has three steps. All random
numbers are hashed from the whole context, so no seat chooses them:

1. m has the agreed number of bits and is 1 modulo 4. No prime below 2^16 divides m. m is neither a
   prime nor a power of a prime: for a power of a prime p, p divides 2^m − 2 (Cohen, "A course in
   computational algebraic number theory", 1.7.5).
2. No square divides m: 5 hashed numbers have m-th roots. Suppose that p² divides m, or that p
   divides both m and q − 1 for another prime q of m. Then only every p-th number has an m-th root,
   and p is above 2^16, so all 5 have roots with odds of 2^-80.
3. 80 hashed numbers x have Jacobi symbol +1, and x or −x has a square root. With three primes or
   more, there are at least four equally likely kinds of x, and x and −x cover at most two kinds.
   With two primes that are both 1 modulo 4, −x is of the same kind as x, and there are two kinds.
   Each x then passes with odds of at most one half, all 80 with 2^-80. With one prime of each kind,
   m is 3 modulo 4.

Roots are revealed only of hashed numbers, and always the same root of the four. Two roots that
differ by more than their sign give a divisor of m. Of r and m − r only the smaller one is accepted.
(van de Graaf and Peralta, "A simple and secure way to show the validity of your public key", CRYPTO
1987; Gennaro, Micciancio and Rabin, "An efficient non-interactive statistical zero-knowledge proof
system for quasi-safe prime products", CCS 1998.)

The proof does not show that p and q have equal lengths, are hard to find, or are unknown to others.
A seat that wants others to read its cards can show them the cards anyway.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from math import gcd, isqrt, prod

from protocol.codes import Code
from protocol.crypto.hashing import expand
from protocol.crypto.proof_context import ProofPlace, statement_context
from protocol.crypto.residue.arithmetic import FASTEST, encoded
from protocol.crypto.residue.keys import PublicKey, SecretKey
from protocol.errors import RemoteError
from protocol.limits import RESIDUE_BITS

KIND = "residue key"
POWERS = 5  # number of m-th roots; no divisor is below 2^16, so 5 give 80 bits of security
SQUARES = 80  # number of square roots
_SMALL_PRIME_BOUND = 1 << 16
_SPARE = 16  # bytes hashed beyond the length of m, for a bias below 2^-128 modulo m


def proof_size(bits: int) -> int:
    """Return the bytes of a proof for a key of `bits` bits: 85 numbers."""
    return (POWERS + SQUARES) * (bits // 8)


def prove_key(secret: SecretKey, place: ProofPlace) -> bytes:
    """Return the roots that prove the key, valid in this place only.

    The proof needs no randomness, because each root is unique.
    """
    m = secret.m
    context = _context(secret.public, place)
    powers = [secret.root_of_order_m(x) for x in _elements(context, m, POWERS)]
    squares = []
    for x in _pseudo_squares(context, m):
        _, root = secret.bit_and_root(x)
        squares.append(min(root, m - root))
    return encoded([*powers, *squares], secret.public.width)


def check_key(m: int, proof: object, place: ProofPlace, bits: int = RESIDUE_BITS) -> None:
    """Check a key. Raises: RemoteError(BAD_MODULUS) if m is visibly wrong, BAD_PROOF if the proof
    is wrong.
    """
    if not is_well_formed(m, bits):
        raise RemoteError(Code.BAD_MODULUS)
    if type(proof) is not bytes or len(proof) != proof_size(bits):
        raise RemoteError(Code.BAD_PROOF)
    numbers = FASTEST.numbers(proof, bits // 8)
    context = _context(PublicKey(m), place)
    powers = numbers[:POWERS]
    squares = numbers[POWERS:]
    if not (_are_powers(m, powers, context) and _are_roots(m, squares, context)):
        raise RemoteError(Code.BAD_PROOF)


def check_coprime(m: int, others: Iterable[int]) -> None:
    """Check that m has no common divisor with the moduli posted before; this also excludes copies.

    Raises: RemoteError(BAD_MODULUS).
    """
    if any(gcd(m, other) != 1 for other in others):
        raise RemoteError(Code.BAD_MODULUS)


def is_well_formed(m: int, bits: int) -> bool:
    """Check the properties of m that need no proof."""
    if m.bit_length() != bits or m & 3 != 1 or gcd(m, _small_primes() % m) != 1:
        return False
    return gcd(pow(2, m, m) - 2, m) == 1


@lru_cache(maxsize=1)
def _small_primes() -> int:
    """Return the product of all primes below 2^16."""
    sieve = bytearray([0, 0]) + bytearray([1]) * (_SMALL_PRIME_BOUND - 2)
    for n in range(2, isqrt(_SMALL_PRIME_BOUND) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, _SMALL_PRIME_BOUND, n)))
    return prod(n for n, prime in enumerate(sieve) if prime)


def _are_powers(m: int, roots: list[int], context: bytes) -> bool:
    elements = _elements(context, m, POWERS)
    return all(
        0 < root < m and pow(root, m, m) == x for root, x in zip(roots, elements, strict=True)
    )


def _are_roots(m: int, roots: list[int], context: bytes) -> bool:
    pairs = zip(roots, _pseudo_squares(context, m), strict=True)
    return all(0 < root <= m // 2 and root * root % m in (x, m - x) for root, x in pairs)


def _context(key: PublicKey, place: ProofPlace) -> bytes:
    return statement_context(place, KIND, key.encoded)


def _elements(context: bytes, m: int, number: int) -> Iterator[int]:
    return (_hashed("residue power", context, m, i) for i in range(number))


def _pseudo_squares(context: bytes, m: int) -> Iterator[int]:
    """Yield the first 80 hashed numbers that have Jacobi symbol +1."""
    found = 0
    for i in count():
        x = _hashed("residue square", context, m, i)
        if FASTEST.jacobi(x, m) == 1:
            yield x
            found += 1
            if found == SQUARES:
                return


def _hashed(label: str, context: bytes, m: int, i: int) -> int:
    width = PublicKey(m).width
    return int.from_bytes(expand(label, context, i, length=width + _SPARE), "little") % m
