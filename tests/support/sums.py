"""Memoised arithmetic of points: `MemoisedRistretto`, a backend that keeps points as sums.

A proof of a shuffle is a few hundred products of points. A checker of the proof comes to the points
of its author by other products: Σs'_i·e'_i − y·Σu_i·e_i is the author's Σω'_i·e'_i. This backend
keeps a point that was computed as a sum of multiples of points that were not computed: the
generator, and points that were hashed or read. Two ways to one sum give one point. libsodium
computes the bytes of the sum once, when they are asked for. A false proof gives another sum, and so
other bytes, as everywhere.

`Point` and `Scalar` give the backend bytes. A sum without bytes needs three operators that pass it
on as it is, and a `Point.encoded` that asks for its bytes. `use_backend` puts them in place
together with the backend, and nothing above `protocol.crypto.group` changes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, reduce
from typing import Any, cast

from protocol.crypto import group
from protocol.crypto.group import ELEMENT_BYTES, GENERATOR, ORDER, Point, Scalar
from protocol.crypto.primitives import ristretto255
from protocol.crypto.primitives.backend import Ristretto255Backend
from protocol.crypto.primitives.native import ristretto255 as native
from protocol.crypto.shuffle import generators

KEPT = 1 << 16  # points whose sum is known: about a kilobyte each
KEPT_POINTS = 1 << 17  # encodings that were checked: some ten megabytes
Terms = frozenset[tuple[bytes, int]]  # points and how often each, from 1 to the order less 1

_NONE = bytes(ELEMENT_BYTES)  # the sum of no points


class Sum:
    """Point as a sum of others, without bytes until they are asked for."""

    __slots__ = ("backend", "counts")

    def __init__(self, backend: "MemoisedRistretto", counts: dict[bytes, int]) -> None:
        self.backend = backend
        self.counts = counts

    def encoded(self) -> bytes:
        """Return the bytes of the sum."""
        return self.backend.encode(self.counts)


class MemoisedRistretto:
    """Backend of ristretto255 that computes each sum once; `backend` does the computing.

    `kept` is the number of points whose sum is known. Products and sums are of type `Sum`.
    """

    def __init__(self, backend: Ristretto255Backend, kept: int = KEPT) -> None:
        self._backend = backend
        self._kept = kept
        self._terms_of: dict[bytes, Terms] = {}
        self._compute_once = lru_cache(kept)(self._compute)
        self.is_valid_point = lru_cache(KEPT_POINTS)(backend.is_valid_point)
        self.from_uniform = backend.from_uniform
        self.scalar_add = backend.scalar_add
        self.scalar_subtract = backend.scalar_subtract
        self.scalar_multiply = backend.scalar_multiply
        self.scalar_invert = backend.scalar_invert
        self.scalar_reduce = backend.scalar_reduce

    def multiply(self, scalar: bytes, point: bytes | Sum) -> Sum:
        factor = int.from_bytes(scalar, "little")
        counts = self._counts(point)
        return Sum(self, {each: factor * count % ORDER for each, count in counts.items()})

    def times_base(self, scalar: bytes) -> Sum:
        return self.multiply(scalar, GENERATOR.encoded)

    def add(self, left: bytes | Sum, right: bytes | Sum) -> Sum:
        return self._sum(left, right, 1)

    def subtract(self, left: bytes | Sum, right: bytes | Sum) -> Sum:
        return self._sum(left, right, -1)

    def encode(self, counts: dict[bytes, int]) -> bytes:
        """Return the bytes of a sum, and remember the sum of these bytes."""
        terms = frozenset((point, count) for point, count in counts.items() if count)
        found = self._compute_once(terms)
        if len(self._terms_of) >= self._kept:
            self._terms_of.clear()
        self._terms_of.setdefault(found, terms)
        return found

    def _compute(self, terms: Terms) -> bytes:
        plus = [self._times(point, count) for point, count in terms if count != ORDER - 1]
        minus = [point for point, count in terms if count == ORDER - 1]
        total = reduce(self._backend.add, plus) if plus else _NONE
        return reduce(self._backend.subtract, minus, total)

    def _times(self, point: bytes, count: int) -> bytes:
        scalar = count.to_bytes(ELEMENT_BYTES, "little")
        if point == GENERATOR.encoded:
            return self._backend.times_base(scalar)
        return point if count == 1 else self._backend.multiply(scalar, point)

    def _sum(self, left: bytes | Sum, right: bytes | Sum, sign: int) -> Sum:
        counts = dict(self._counts(left))
        for point, count in self._counts(right).items():
            counts[point] = (counts.get(point, 0) + sign * count) % ORDER
        return Sum(self, counts)

    def _counts(self, point: bytes | Sum) -> dict[bytes, int]:
        """Return the sum of a point; the point itself, if it was not computed here."""
        if isinstance(point, Sum):
            return point.counts
        terms = self._terms_of.get(point)
        if terms is None:
            return {point: 1} if point != _NONE else {}
        return dict(terms)


_slot: Any = Point.encoded  # holds the bytes of a point, or a sum that nobody has asked for
_kept_in = _slot.__get__
_plain_operators = Point.__add__, Point.__sub__, Scalar.__mul__


def _look(point: Point) -> bytes:
    encoded = _kept_in(point)
    if type(encoded) is Sum:
        encoded = encoded.encoded()
        _slot.__set__(point, encoded)
    return cast(bytes, encoded)


def _added(left: Point, right: object) -> Point:
    if type(right) is not Point:
        return NotImplemented
    return group._point(ristretto255.backend.add(_kept_in(left), _kept_in(right)))


def _subtracted(left: Point, right: object) -> Point:
    if type(right) is not Point:
        return NotImplemented
    return group._point(ristretto255.backend.subtract(_kept_in(left), _kept_in(right)))


def _multiplied(scalar: Scalar, other: object) -> object:
    if type(other) is not Point:
        return _plain_operators[2](scalar, other)
    return group._point(ristretto255.backend.multiply(scalar.encoded, _kept_in(other)))


Point.encoded = property(_look, _slot.__set__)


@contextmanager
def use_backend(backend: Any) -> Iterator[None]:
    """Compute points with this backend, and with operators that fit it."""
    memoised = isinstance(backend, MemoisedRistretto)
    operators = (_added, _subtracted, _multiplied) if memoised else _plain_operators
    before = ristretto255.backend, (Point.__add__, Point.__sub__, Scalar.__mul__)
    _put(backend, operators)
    try:
        yield
    finally:
        _put(*before)


def _put(backend: Any, operators: tuple[Any, Any, Any]) -> None:
    ristretto255.backend = backend
    Point.__add__, Point.__sub__, Scalar.__mul__ = operators
    # the sums of cached generators are those of another backend
    generators.cache_clear()


@contextmanager
def plain_arithmetic() -> Iterator[None]:
    """Compute each product and each sum with libsodium, as outside of tests."""
    with use_backend(native):
        yield
