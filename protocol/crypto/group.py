"""ristretto255 (RFC 9496), a group of prime order with one encoding for each element.

Two types that cannot be mixed up: `Point` (an element) and `Scalar` (an integer modulo the order).
Both are valid by construction: bytes from outside go through `decode_point` or `decode_scalar`
once, at the edge, and arithmetic keeps what they guarantee, so nothing is checked again later.

Points are decoded with the identity refused unless the caller asks for it. A product or a
difference may be the identity; whoever posts or uses one where it must not be, asks `is_identity`.
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
WIDE = ristretto255.WIDE_SIZE  # bytes that become one scalar or one point
FIELD_PRIME = ristretto255.FIELD_PRIME
ORDER = ristretto255.ORDER

_new_object = object.__new__
_set = object.__setattr__


@dataclass(frozen=True, slots=True, repr=False)
class Point:
    """An element of the group; `encoded` is its only encoding, 32 bytes, and equality is equality
    of elements.

    `Point(raw)` checks and accepts the identity; for bytes from outside use `decode_point`.
    Not shown by `repr`, because a Diffie–Hellman point is a secret.

    Raises: RemoteError(BAD_POINT).
    """

    encoded: bytes

    def __post_init__(self) -> None:
        raw = self.encoded
        if type(raw) is not bytes or not ristretto255.is_valid_point(raw):
            raise RemoteError(Code.BAD_POINT)

    @property
    def is_identity(self) -> bool:
        """Whether this is the neutral element."""
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
    """An integer modulo the group's order; `encoded` is 32 bytes, little-endian, reduced.

    `Scalar(raw)` checks; zero is a scalar. Not shown by `repr`.

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
        """Whether this is zero."""
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
        """`s * P` is a point (the identity if s is zero or P is the identity); `s * t` a scalar."""
        if type(other) is Point:
            return _point(ristretto255.backend.multiply(self.encoded, other.encoded))
        if type(other) is Scalar:
            return _scalar(ristretto255.backend.scalar_multiply(self.encoded, other.encoded))
        return NotImplemented

    def inverse(self) -> "Scalar":
        """The t with self * t = 1. Raises ZeroDivisionError for zero."""
        if self.is_zero:
            raise ZeroDivisionError("zero has no inverse")
        return _scalar(ristretto255.backend.scalar_invert(self.encoded))


def _point(encoded: bytes) -> Point:
    """A point from bytes that libsodium has just computed, without a second look."""
    point = _new_object(Point)
    _set(point, "encoded", encoded)
    return point


def _scalar(encoded: bytes) -> Scalar:
    """A scalar from bytes that libsodium has just computed, without a second look."""
    scalar = _new_object(Scalar)
    _set(scalar, "encoded", encoded)
    return scalar


def _reduce(wide: bytes) -> Scalar:
    """64 little-endian bytes modulo the order."""
    return _scalar(ristretto255.backend.scalar_reduce(wide))


def decode_point(raw: object, *, identity: bool = False) -> Point:
    """The point that these 32 bytes encode (RFC 9496 §4.3.1); the identity only if `identity` is
    true.

    Raises: RemoteError(BAD_POINT) for anything else, also for a second encoding of a valid element.
    """
    if not isinstance(raw, bytes):
        raise RemoteError(Code.BAD_POINT)
    point = Point(raw)
    if point.is_identity and not identity:
        raise RemoteError(Code.BAD_POINT)
    return point


def decode_scalar(raw: object) -> Scalar:
    """The scalar that these 32 little-endian bytes encode; zero is one.

    Raises: RemoteError(BAD_SCALAR) for anything else, also for an integer of the order or more.
    """
    if not isinstance(raw, bytes):
        raise RemoteError(Code.BAD_SCALAR)
    return Scalar(raw)


def scalar_from_int(value: int) -> Scalar:
    """An integer of any size and sign, modulo the order. For small or public numbers: not constant
    time.
    """
    return _scalar((value % ORDER).to_bytes(ELEMENT_BYTES, "little"))


def times_base(scalar: Scalar) -> Point:
    """`scalar * GENERATOR`, from a precomputed table: about three times as fast."""
    return _point(ristretto255.backend.times_base(scalar.encoded))


def linear_combination(scalars: Sequence[Scalar], points: Sequence[Point]) -> Point:
    """Σ scalars[i]·points[i], the identity for none; no object is made for what stands in between.

    Raises ValueError if there are not as many scalars as points.
    """
    multiply, add = ristretto255.backend.multiply, ristretto255.backend.add
    products = (
        multiply(scalar.encoded, point.encoded)
        for scalar, point in zip(scalars, points, strict=True)
    )
    first = next(products, _ZERO)
    return _point(reduce(add, products, first))


def total(points: Iterable[Point]) -> Point:
    """The sum of all points, the identity for none."""
    encoded = (point.encoded for point in points)
    first = next(encoded, _ZERO)
    return _point(reduce(ristretto255.backend.add, encoded, first))


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Σ left[i]·right[i], zero for none. Raises ValueError if there are not as many on both
    sides.
    """
    multiply, add = ristretto255.backend.scalar_multiply, ristretto255.backend.scalar_add
    products = (multiply(a.encoded, b.encoded) for a, b in zip(left, right, strict=True))
    return _scalar(reduce(add, products, _ZERO))


def random_scalar(rng: Random) -> Scalar:
    """A secret scalar from 1 to order − 1, uniform up to 2^-259: 64 random bytes reduced.

    Never zero: a zero key, mask or re-encryption leaves in clear what it should hide.
    """
    while (scalar := _reduce(rng.randbytes(WIDE))).is_zero:
        pass
    return scalar


def scalars_from_uniform(uniform: bytes) -> list[Scalar]:
    """One scalar for each 64 uniform bytes, uniform up to 2^-259. Raises ValueError for a rest."""
    if len(uniform) % WIDE:
        raise ValueError("a scalar is derived from 64 bytes")
    return [_reduce(uniform[start : start + WIDE]) for start in range(0, len(uniform), WIDE)]


def decode_points(raw: bytes) -> list[Point]:
    """The points that stand one after the other in these bytes, the identity not among them.

    Raises: RemoteError(BAD_POINT), also if the length is no multiple of 32.
    """
    return [
        decode_point(raw[start : start + ELEMENT_BYTES])
        for start in range(0, len(raw), ELEMENT_BYTES)
    ]


def decode_scalars(raw: bytes) -> list[Scalar]:
    """The scalars that stand one after the other in these bytes.

    Raises: RemoteError(BAD_SCALAR), also if the length is no multiple of 32.
    """
    return [
        decode_scalar(raw[start : start + ELEMENT_BYTES])
        for start in range(0, len(raw), ELEMENT_BYTES)
    ]


def encode(values: Iterable[Point | Scalar]) -> bytes:
    """Points and scalars one after the other, 32 bytes each."""
    return b"".join([value.encoded for value in values])


def point_from_uniform(uniform: bytes) -> Point:
    """The element that RFC 9496 §4.3.4 derives from 64 uniform bytes. Raises ValueError
    otherwise.
    """
    if len(uniform) != WIDE:
        raise ValueError("an element is derived from 64 bytes")
    return _point(ristretto255.backend.from_uniform(uniform))


def hash_to_point(label: str, *fields: Field) -> Point:
    """A point whose discrete logarithm to any other nobody knows, the same for everybody.

    The 64 uniform bytes are `derive(b"", label, *fields, length=64)`: HKDF-HMAC-SHA-512 as a random
    oracle, under a secret that is empty because there is none. RFC 9496 §4.3.4 maps them to the
    group.
    """
    return point_from_uniform(derive(b"", label, *fields, length=WIDE))


def hash_to_scalar(label: str, *fields: Field) -> Scalar:
    """A scalar that is the same for everybody: `derive(b"", label, *fields, length=64)` reduced."""
    return _reduce(derive(b"", label, *fields, length=WIDE))


_ZERO = bytes(ELEMENT_BYTES)
ZERO = _scalar(_ZERO)
ONE = scalar_from_int(1)
IDENTITY = _point(_ZERO)
GENERATOR = times_base(ONE)
