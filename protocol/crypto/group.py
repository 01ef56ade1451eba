"""ristretto255 (RFC 9496): a group of prime order with exactly one encoding for each element.

`Point` is an element and `Scalar` an integer modulo the order; the two types cannot be confused.
Objects of both are valid by construction. Bytes from outside are checked once, by `decode_point` or
`decode_scalar`. Arithmetic preserves validity, so later code checks nothing again.

Decoding refuses the identity unless the caller allows it. A product or a difference may be the
identity. Code that must not post or use the identity checks `is_identity`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from random import Random
from typing import Self, overload

from protocol.codes import Code
from protocol.crypto.hashing import Field, derive
from protocol.crypto.primitives import ristretto255
from protocol.errors import RemoteError

ELEMENT_BYTES = ristretto255.SIZE  # bytes of an encoded point or scalar
WIDE = ristretto255.WIDE_SIZE  # uniform bytes that are mapped to one scalar or point
FIELD_PRIME = ristretto255.FIELD_PRIME
ORDER = ristretto255.ORDER

_new_object = object.__new__
_set = object.__setattr__


@dataclass(frozen=True, slots=True, repr=False)
class Point:
    """Element of the group; equal elements have equal encodings of 32 bytes.

    `Point(raw)` checks `raw` and accepts the identity; use `decode_point` for bytes from outside.
    `repr` hides the value, because a Diffie–Hellman point is a secret.

    Raises: RemoteError(BAD_POINT).
    """

    encoded: bytes

    def __post_init__(self) -> None:
        raw = self.encoded
        if type(raw) is not bytes or not ristretto255.is_valid_point(raw):
            raise RemoteError(Code.BAD_POINT)

    @property
    def is_identity(self) -> bool:
        """True if this is the neutral element."""
        return self.encoded == _ZERO

    def __add__(self, other: Self) -> "Point":
        if type(other) is not Point:
            return NotImplemented
        return _point(ristretto255.backend.add(self.encoded, other.encoded))

    def __sub__(self, other: Self) -> "Point":
        if type(other) is not Point:
            return NotImplemented
        return _point(ristretto255.backend.subtract(self.encoded, other.encoded))

    def __neg__(self) -> "Point":
        return IDENTITY - self


@dataclass(frozen=True, slots=True, repr=False)
class Scalar:
    """Integer modulo the group's order; `encoded` is 32 bytes, little-endian, reduced.

    `Scalar(raw)` checks `raw` and accepts zero. `repr` hides the value.

    Raises: RemoteError(BAD_SCALAR).
    """

    encoded: bytes

    def __post_init__(self) -> None:
        raw = self.encoded
        if (
            type(raw) is not bytes
            or len(raw) != ELEMENT_BYTES
            or _reduce(raw + _ZERO).encoded != raw
        ):
            raise RemoteError(Code.BAD_SCALAR)

    @property
    def is_zero(self) -> bool:
        return self.encoded == _ZERO

    def __add__(self, other: Self) -> "Scalar":
        if type(other) is not Scalar:
            return NotImplemented
        return _scalar(ristretto255.backend.scalar_add(self.encoded, other.encoded))

    def __sub__(self, other: Self) -> "Scalar":
        if type(other) is not Scalar:
            return NotImplemented
        return _scalar(ristretto255.backend.scalar_subtract(self.encoded, other.encoded))

    def __neg__(self) -> "Scalar":
        return ZERO - self

    @overload
    def __mul__(self, other: Point) -> Point: ...
    @overload
    def __mul__(self, other: Self) -> "Scalar": ...
    def __mul__(self, other: "Point | Scalar") -> "Point | Scalar":
        """Multiply by a point or a scalar; the product has the type of `other`.

        A product with a point is the identity if the scalar is zero or the point is the identity.
        """
        if type(other) is Point:
            return _point(ristretto255.backend.multiply(self.encoded, other.encoded))
        if type(other) is Scalar:
            return _scalar(ristretto255.backend.scalar_multiply(self.encoded, other.encoded))
        return NotImplemented

    def inverse(self) -> "Scalar":
        """Return t with self * t = 1. Raises: ZeroDivisionError for zero."""
        if self.is_zero:
            raise ZeroDivisionError("zero has no inverse")
        return _scalar(ristretto255.backend.scalar_invert(self.encoded))


def _point(encoded: bytes) -> Point:
    """Return a point from bytes computed by the backend, without a check."""
    point = _new_object(Point)
    _set(point, "encoded", encoded)
    return point


def _scalar(encoded: bytes) -> Scalar:
    """Return a scalar from bytes computed by the backend, without a check."""
    scalar = _new_object(Scalar)
    _set(scalar, "encoded", encoded)
    return scalar


def _reduce(wide: bytes) -> Scalar:
    """Reduce 64 little-endian bytes modulo the order."""
    return _scalar(ristretto255.backend.scalar_reduce(wide))


def decode_point(raw: object, *, identity: bool = False) -> Point:
    """Decode a point from 32 bytes (RFC 9496, 4.3.1); the identity only if `identity` is true.

    Raises: RemoteError(BAD_POINT) for other bytes, including a second encoding of a valid element.
    """
    if not isinstance(raw, bytes):
        raise RemoteError(Code.BAD_POINT)
    point = Point(raw)
    if point.is_identity and not identity:
        raise RemoteError(Code.BAD_POINT)
    return point


def decode_scalar(raw: object) -> Scalar:
    """Decode a scalar, possibly zero, from 32 little-endian bytes.

    Raises: RemoteError(BAD_SCALAR) for other bytes, including integers not below the order.
    """
    if not isinstance(raw, bytes):
        raise RemoteError(Code.BAD_SCALAR)
    return Scalar(raw)


def scalar_from_int(value: int) -> Scalar:
    """Return an integer of any size and sign modulo the order.

    Not in constant time, so use this only for small or public numbers.
    """
    return _scalar((value % ORDER).to_bytes(ELEMENT_BYTES, "little"))


def times_base(scalar: Scalar) -> Point:
    """Return `scalar * GENERATOR` by a precomputed table, about three times as fast as a
    multiplication.
    """
    return _point(ristretto255.backend.times_base(scalar.encoded))


def linear_combination(scalars: Sequence[Scalar], points: Sequence[Point]) -> Point:
    """Return Σ scalars[i]·points[i], or the identity for empty sequences.

    No objects are created for intermediate results. Raises: ValueError if the lengths differ.
    """
    multiply = ristretto255.backend.multiply
    add = ristretto255.backend.add
    products = (
        multiply(scalar.encoded, point.encoded)
        for scalar, point in zip(scalars, points, strict=True)
    )
    first = next(products, _ZERO)
    return _point(reduce(add, products, first))


def total(points: Iterable[Point]) -> Point:
    """Return the sum of all points, or the identity for none."""
    encoded = (point.encoded for point in points)
    first = next(encoded, _ZERO)
    return _point(reduce(ristretto255.backend.add, encoded, first))


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return Σ left[i]·right[i], or zero for empty sequences. Raises: ValueError if the lengths
    differ.
    """
    multiply = ristretto255.backend.scalar_multiply
    add = ristretto255.backend.scalar_add
    products = (multiply(a.encoded, b.encoded) for a, b in zip(left, right, strict=True))
    return _scalar(reduce(add, products, _ZERO))


def random_scalar(rng: Random) -> Scalar:
    """Return a secret scalar from 1 to order − 1, from 64 random bytes, uniform up to 2^-259.

    Zero is excluded, because a zero key, mask or re-encryption hides nothing.
    """
    while (scalar := _reduce(rng.randbytes(WIDE))).is_zero:
        pass
    return scalar


def scalars_from_uniform(uniform: bytes) -> list[Scalar]:
    """Return one scalar for each 64 uniform bytes, uniform up to 2^-259.

    Raises: ValueError if the length is no multiple of 64.
    """
    if len(uniform) % WIDE:
        raise ValueError("a scalar is derived from 64 bytes")
    return [_reduce(uniform[start : start + WIDE]) for start in range(0, len(uniform), WIDE)]


def decode_points(raw: bytes) -> list[Point]:
    """Decode consecutive points of 32 bytes; the identity is refused.

    Raises: RemoteError(BAD_POINT), also if the length is no multiple of 32.
    """
    return [
        decode_point(raw[start : start + ELEMENT_BYTES])
        for start in range(0, len(raw), ELEMENT_BYTES)
    ]


def decode_scalars(raw: bytes) -> list[Scalar]:
    """Decode consecutive scalars of 32 bytes.

    Raises: RemoteError(BAD_SCALAR), also if the length is no multiple of 32.
    """
    return [
        decode_scalar(raw[start : start + ELEMENT_BYTES])
        for start in range(0, len(raw), ELEMENT_BYTES)
    ]


def encode(values: Iterable[Point | Scalar]) -> bytes:
    """Encode points and scalars one after the other, 32 bytes each."""
    return b"".join([value.encoded for value in values])


def point_from_uniform(uniform: bytes) -> Point:
    """Map 64 uniform bytes to a point (RFC 9496, 4.3.4). Raises: ValueError for another length."""
    if len(uniform) != WIDE:
        raise ValueError("an element is derived from 64 bytes")
    return _point(ristretto255.backend.from_uniform(uniform))


def hash_to_point(label: str, *fields: Field) -> Point:
    """Hash to a point whose discrete logarithm to any other point is unknown.

    The 64 uniform bytes are `derive(b"", label, *fields, length=64)`: HKDF-HMAC-SHA-512 as a random
    oracle. The secret is empty, because the result is public. RFC 9496, 4.3.4 maps the bytes to the
    group.
    """
    return point_from_uniform(derive(b"", label, *fields, length=WIDE))


def hash_to_scalar(label: str, *fields: Field) -> Scalar:
    """Hash to a scalar: `derive(b"", label, *fields, length=64)`, reduced."""
    return _reduce(derive(b"", label, *fields, length=WIDE))


_ZERO = bytes(ELEMENT_BYTES)
ZERO = _scalar(_ZERO)
ONE = scalar_from_int(1)
IDENTITY = _point(_ZERO)
GENERATOR = times_base(ONE)
