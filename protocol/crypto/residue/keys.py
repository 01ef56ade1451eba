"""Keys: m = p·q of two secret primes, both 3 modulo 4 (Blum integers); m alone is the public key.

The pseudo-square y = m − 1 stands for a bit of 1: −1 is no residue modulo a prime that is 3 modulo
4.

The primes come from pycryptodome (extra `residue`), whose generator takes a random source and a
filter. Each result is a prime of the right length (odds of a mistake: 2^-100) and passes the
filter. The generator does not see the two primes as a pair, so this module ensures that they are
different and not close.
"""

from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod
from random import Random

from protocol.crypto.residue.arithmetic import FASTEST
from protocol.errors import LocalError
from protocol.installation import install_command
from protocol.limits import LEAST_RESIDUE_BITS, RESIDUE_BITS

# product of the odd primes below 542
_DIVISORS = prod(n for n in range(3, 542) if all(n % d for d in range(2, n)))
# |p − q| has at least bits / 2 − 100 bits (FIPS 186-5, A.1.3); otherwise Fermat's method finds p
# and q.
_APART = 100


@dataclass(frozen=True)
class PublicKey:
    """Public modulus m and the values derived from it."""

    m: int

    @property
    def y(self) -> int:
        """Pseudo-square m − 1."""
        return self.m - 1

    @property
    def width(self) -> int:
        """Bytes of a number modulo m."""
        return (self.m.bit_length() + 7) // 8

    @property
    def encoded(self) -> bytes:
        """Modulus m in `width` bytes, little-endian."""
        return self.m.to_bytes(self.width, "little")


@dataclass(frozen=True, repr=False)
class SecretKey:
    """Secret primes p and q; `repr` hides them."""

    p: int
    q: int

    @cached_property
    def public(self) -> PublicKey:
        """Public key of this secret key."""
        return PublicKey(self.p * self.q)

    @property
    def m(self) -> int:
        return self.public.m

    @cached_property
    def _inverse(self) -> int:
        return pow(self.q, -1, self.p)

    def _combine_residues(self, modulo_p: int, modulo_q: int) -> int:
        """Return the number below m with these two remainders (Garner's algorithm)."""
        return modulo_q + self.q * ((modulo_p - modulo_q) * self._inverse % self.p)

    def bit(self, z: int) -> int:
        """Return 0 if z is a residue modulo m, 1 if −z is. Raises: ValueError if neither is."""
        return self.bit_and_root(z)[0]

    def bit_and_root(self, z: int) -> tuple[int, int]:
        """Return the bit of z, and the principal root of z or −z: the square root that is itself a
        residue.

        Always the same root is returned, because two different roots of one number give a divisor
        of m. A miscomputed root would give a divisor too, so the result is checked. Raises:
        ValueError if neither z nor −z has a root.
        """
        roots = [FASTEST.power(z % prime, (prime + 1) // 4, prime) for prime in (self.p, self.q)]
        bit = int(roots[0] * roots[0] % self.p != z % self.p)
        if bit:  # The computed values are roots of −z, except for their signs.
            roots = [
                root if prime % 8 == 7 else prime - root
                for root, prime in zip(roots, (self.p, self.q), strict=True)
            ]
        root = self._combine_residues(*roots)
        if root * root % self.m != (-z if bit else z) % self.m or not root:
            raise ValueError("a number of Jacobi symbol +1")
        return bit, root

    def root_of_order_m(self, x: int) -> int:
        """Return the unique number whose m-th power is x."""
        parts = []
        for prime in (self.p, self.q):
            exponent = pow(self.m, -1, prime - 1)
            parts.append(FASTEST.power(x % prime, exponent, prime))
        return self._combine_residues(*parts)


def new_key(rng: Random, bits: int = RESIDUE_BITS) -> SecretKey:
    """Return a new key whose m has exactly `bits` bits.

    Raises: ValueError unless `bits` is a multiple of 16 and at least 512; LocalError if the library
    for primes is not installed.
    """
    if bits < LEAST_RESIDUE_BITS or bits % 16:
        raise ValueError("from 512 bits, a multiple of 16")
    p = q = 0
    while abs(p - q) >> (bits // 2 - _APART) == 0:
        p = _prime(bits // 2, rng)
        q = _prime(bits // 2, rng)
    return SecretKey(p, q)


def _prime(bits: int, rng: Random) -> int:
    """Return a prime that is 3 modulo 4 and has its two highest bits set.

    Two of these primes have a product of twice as many bits. The filter drops multiples of small
    primes at once, because the generator takes much longer to find them.
    """
    try:
        from Crypto.Math.Primality import generate_probable_prime
    except ImportError:
        raise LocalError("wrong.residue.missing", install=install_command("residue")) from None
    prime = generate_probable_prime(
        exact_bits=bits,
        randfunc=rng.randbytes,
        prime_filter=lambda candidate: _may_be(int(candidate), bits),
    )
    return int(prime)


def _may_be(candidate: int, bits: int) -> bool:
    return candidate & 3 == 3 and candidate >> (bits - 2) == 3 and gcd(candidate, _DIVISORS) == 1
