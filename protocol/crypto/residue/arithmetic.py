"""Integers of some thousand bits: gmpy2's if it is installed (extra `residue`), else Python's own.

Both give the same results, gmpy2 some five times as fast; who plays with one cannot be told from
who plays with the other, but by time. Neither takes the same time for all numbers, except
`GmpIntegers.power`, which does for exponents of one length; `PythonIntegers.power` does not. What
is secret otherwise (roots, orders) is added, multiplied and copied in a time that hardly depends on
it, and never compared byte by byte.

Numbers are encoded in a fixed number of bytes, little-endian, as scalars are.
"""

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, Protocol, cast

try:
    import gmpy2
except ImportError:  # the extra is not installed
    gmpy2 = cast(Any, None)


class Arithmetic(Protocol):
    """What differs between the two."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        """Numbers of `width` bytes each."""

    def to_native(self, numbers: Sequence[int]) -> list[int]:
        """The same numbers as this one reckons fastest with."""

    def power(self, base: int, exponent: int, modulus: int) -> int:
        """base^exponent modulo an odd number; the exponent may be secret, and is not zero."""

    def jacobi(self, number: int, modulus: int) -> int:
        """The Jacobi symbol: +1 or −1, or 0 if they have a divisor in common."""


class PythonIntegers:
    """Python's own integers."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        return [
            int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)
        ]

    def to_native(self, numbers: Sequence[int]) -> list[int]:
        return list(numbers)

    def power(self, base: int, exponent: int, modulus: int) -> int:
        return pow(base, exponent, modulus)

    def jacobi(self, number: int, modulus: int) -> int:
        """By quadratic reciprocity (Cohen, "A course in computational algebraic number theory",
        algorithm 1.4.10).
        """
        sign, a, n = 1, number % modulus, modulus
        while a:
            twos = (a & -a).bit_length() - 1
            a >>= twos
            if twos & 1 and n & 7 in (3, 5):
                sign = -sign
            if a & n & 2:  # both are 3 modulo 4
                sign = -sign
            a, n = n % a, a
        return sign if n == 1 else 0


class GmpIntegers:
    """GMP's integers, by gmpy2."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        pieces: list[int] = gmpy2.unpack(gmpy2.mpz.from_bytes(data, "little"), 8 * width)
        # zeros at the end are not given
        return pieces + [gmpy2.mpz(0)] * (len(data) // width - len(pieces))

    def to_native(self, numbers: Sequence[int]) -> list[int]:
        return [gmpy2.mpz(number) for number in numbers]

    def power(self, base: int, exponent: int, modulus: int) -> int:
        return int(gmpy2.powmod_sec(base, exponent, modulus))

    def jacobi(self, number: int, modulus: int) -> int:
        return int(gmpy2.jacobi(number, modulus))


INTS = PythonIntegers()
FASTEST: Arithmetic = INTS if gmpy2 is None else GmpIntegers()


def encoded(numbers: Iterable[int], width: int) -> bytes:
    """The reverse of `numbers`; each is below 256^width."""
    return b"".join([number.to_bytes(width, "little") for number in numbers])


def are_half_units(numbers: Sequence[int], m: int) -> bool:
    """Whether each is from 1 to (m − 1) / 2 and has no divisor in common with m.

    The bound leaves one of r and m − r, whose squares are the same, so that nobody can change a
    proof and keep it one.
    """
    product = 1
    for number in numbers:
        if not 0 < number <= m // 2:
            return False
        product = product * number % m
    return gcd(product, m) == 1
