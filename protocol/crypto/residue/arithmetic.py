"""Integers of some thousand bits: gmpy2's if it is installed (extra `residue`), else Python's own.

Both give the same results; gmpy2 is about five times as fast. Only timing can tell players with
gmpy2 from players without it.

Neither runs in constant time, except `GmpIntegers.power` for exponents of equal length.
`PythonIntegers.power` does not. Other secret values (roots, orders) are added, multiplied and
copied in a time that hardly depends on them. They are never compared byte by byte.

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
    """Operations in which gmpy2 and Python's integers differ."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        """Decode numbers of `width` bytes each."""

    def to_native(self, numbers: Sequence[int]) -> list[int]:
        """Convert numbers to the type with which this arithmetic is fastest."""

    def power(self, base: int, exponent: int, modulus: int) -> int:
        """Return base^exponent modulo an odd number; the exponent may be secret, and is not
        zero.
        """

    def jacobi(self, number: int, modulus: int) -> int:
        """Return the Jacobi symbol: +1 or −1, or 0 if the arguments have a common divisor."""


class PythonIntegers:
    """Arithmetic with Python's own integers."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        return [
            int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)
        ]

    def to_native(self, numbers: Sequence[int]) -> list[int]:
        return list(numbers)

    def power(self, base: int, exponent: int, modulus: int) -> int:
        return pow(base, exponent, modulus)

    def jacobi(self, number: int, modulus: int) -> int:
        """Return the Jacobi symbol by quadratic reciprocity.

        Source: Cohen, "A course in computational algebraic number theory", algorithm 1.4.10.
        """
        sign = 1
        a = number % modulus
        n = modulus
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
    """Arithmetic with GMP's integers, through gmpy2."""

    def numbers(self, data: bytes, width: int) -> list[int]:
        pieces: list[int] = gmpy2.unpack(gmpy2.mpz.from_bytes(data, "little"), 8 * width)
        # `unpack` omits zeros at the end.
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
    """Encode numbers in `width` bytes each; each number is below 256^width."""
    return b"".join([number.to_bytes(width, "little") for number in numbers])


def are_half_units(numbers: Sequence[int], m: int) -> bool:
    """Check that each number is from 1 to (m − 1) / 2 and has no common divisor with m.

    Since r and m − r have the same square, the bound accepts only one of them. So nobody can change
    a valid proof into another valid proof.
    """
    product = 1
    for number in numbers:
        if not 0 < number <= m // 2:
            return False
        product = product * number % m
    return gcd(product, m) == 1
