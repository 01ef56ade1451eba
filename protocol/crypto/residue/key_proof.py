"""That m is the product of exactly two primes, both 3 modulo 4, so that m − 1 is a pseudo-square
and a bit means a bit.

In this order; what is random in it is hashed from the whole context, so nobody chooses it:

1. m has the agreed number of bits and is 1 modulo 4, no prime below 2^16 divides it, and it is no
   prime and no power of one: for a power of a prime p, p divides 2^m − 2 (Cohen, "A course in
   computational algebraic number theory", 1.7.5).
2. No square divides it: 5 hashed numbers have m-th roots. If p² divides m, or p divides m and
   another q − 1, then only every p-th number has one, and p is above 2^16: 2^-80 that all 5 do.
3. 80 hashed numbers x of Jacobi symbol +1: x or −x has a square root. With three primes or more x
   has four kinds or more that are as likely, and x and −x are at most two of them; with two primes
   that are both 1 modulo 4, −x is of x's kind, and there are two. So it is even odds for each,
   2^-80 in all. (With one of each, m is 3 modulo 4.)

A root is shown of what a hash gave and nothing else, and always the same of the four: two that
differ by more than their sign give a divisor of m. Of r and m − r the smaller one is shown, and no
other is taken. (van de Graaf and Peralta, "A simple and secure way to show the validity of your
public key", CRYPTO 1987; Gennaro, Micciancio and Rabin, "An efficient non-interactive statistical
zero-knowledge proof system for quasi-safe prime products", CCS 1998.)

It does not show that p and q are of one length, hard to find, or unknown to others: who wants its
cards known can tell them anyway.
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
POWERS = 5  # m-th roots; no divisor is below 2^16, so this is 80 bits
SQUARES = 80  # square roots
_SMALL = 1 << 16
_SPARE = 16  # bytes more than m has: what is hashed is even modulo m but for 2^-128


def proof_size(bits: int) -> int:
    """Bytes of the proof for a key of so many bits: 85 numbers."""
    return (POWERS + SQUARES) * (bits // 8)


def prove_key(secret: SecretKey, place: ProofPlace) -> bytes:
    """The roots, in this place only. It takes no randomness: each root is the one that there is to
    show.
    """
    m, context = secret.m, _context(secret.public, place)
    powers = [secret.root_of_order_m(x) for x in _elements(context, m, POWERS)]
    squares = []
    for x in _pseudo_squares(context, m):
        _, root = secret.bit_and_root(x)
        squares.append(min(root, m - root))
    return encoded([*powers, *squares], secret.public.width)


def check_key(m: int, proof: object, place: ProofPlace, bits: int = RESIDUE_BITS) -> None:
    """Raises: RemoteError(BAD_MODULUS) if m cannot be right, BAD_PROOF if that it is has not been
    shown.
    """
    if not is_well_formed(m, bits):
        raise RemoteError(Code.BAD_MODULUS)
    if type(proof) is not bytes or len(proof) != proof_size(bits):
        raise RemoteError(Code.BAD_PROOF)
    numbers, context = FASTEST.numbers(proof, bits // 8), _context(PublicKey(m), place)
    powers, squares = numbers[:POWERS], numbers[POWERS:]
    if not (_are_powers(m, powers, context) and _are_roots(m, squares, context)):
        raise RemoteError(Code.BAD_PROOF)


def check_coprime(m: int, others: Iterable[int]) -> None:
    """That m has no divisor in common with those that were posted before: nobody has two keys in
    one, or a copy.

    Raises: RemoteError(BAD_MODULUS).
    """
    if any(gcd(m, other) != 1 for other in others):
        raise RemoteError(Code.BAD_MODULUS)


def is_well_formed(m: int, bits: int) -> bool:
    """What anybody can see of m without a proof."""
    if m.bit_length() != bits or m & 3 != 1 or gcd(m, _small_primes() % m) != 1:
        return False
    return gcd(pow(2, m, m) - 2, m) == 1


@lru_cache(maxsize=1)
def _small_primes() -> int:
    """The product of all primes below 2^16."""
    sieve = bytearray([0, 0]) + bytearray([1]) * (_SMALL - 2)
    for n in range(2, isqrt(_SMALL) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, _SMALL, n)))
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
    """80 numbers of Jacobi symbol +1: of those that are hashed one after the other, those that have
    it.
    """
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
