"""Points represented as sums, so that this process computes each point once, whatever its formula.

A proof of a shuffle is a few hundred products of points. The checker computes the same points as
the author, but by other products: Σs'_i·e'_i − y·Σu_i·e_i is the author's Σω'_i·e'_i. Here a point
is a sum of multiples of base points: the generator, and points that were hashed or read. Two
formulas for the same sum are one point, and libsodium computes its bytes once, when they are
needed. A false proof gives another sum, and so other bytes, as usual.

Only the arithmetic below `protocol.crypto.group` is replaced. libsodium always computes the bytes
of a sum. `tests/unit/protocol/crypto` tests this arithmetic, and does not use the replacement.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache, reduce
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from protocol.crypto import group
from protocol.crypto.group import ELEMENT_BYTES, GENERATOR, ORDER, Point, Scalar
from protocol.crypto.primitives import ristretto255
from protocol.crypto.shuffle import generators

KEPT = 1 << 16  # points with a known sum, about a kilobyte each
Terms = frozenset[tuple[bytes, int]]  # base points with factors from 1 to the group order less 1

_plain: Any = ristretto255.backend
_multiply, _multiply_base = _plain.multiply, _plain.times_base
_add, _subtract = _plain.add, _plain.subtract
_NONE = bytes(ELEMENT_BYTES)  # bytes of the empty sum
# attribute of a point with its bytes, or with a sum that has no bytes yet
_slot: Any = Point.__dict__["encoded"]
_kept = _slot.__get__
_of_scalars: Any = Scalar.__mul__
_terms_of: dict[bytes, Terms] = {}


class Sum:
    """A point as a sum of others. Its bytes are computed on demand."""

    __slots__ = ("counts",)

    def __init__(self, counts: dict[bytes, int]) -> None:
        self.counts = counts

    def encoded(self) -> bytes:
        """Compute the bytes, and remember the sum that they belong to."""
        terms = frozenset((point, count) for point, count in self.counts.items() if count)
        found = _computed(terms)
        if len(_terms_of) >= KEPT:
            _terms_of.clear()
        _terms_of.setdefault(found, terms)
        return found


@lru_cache(KEPT)
def _computed(terms: Terms) -> bytes:
    plus = [_times(point, count) for point, count in terms if count != ORDER - 1]
    minus = [point for point, count in terms if count == ORDER - 1]
    return cast(bytes, reduce(_subtract, minus, reduce(_add, plus) if plus else _NONE))


def _times(point: bytes, count: int) -> bytes:
    scalar = count.to_bytes(ELEMENT_BYTES, "little")
    if point == GENERATOR.encoded:
        return cast(bytes, _multiply_base(scalar))
    return point if count == 1 else cast(bytes, _multiply(scalar, point))


def _counts(point: bytes | Sum) -> dict[bytes, int]:
    """Return the sum of a point. A base point is its own sum."""
    if isinstance(point, Sum):
        return point.counts
    terms = _terms_of.get(point)
    if terms is None:
        return {point: 1} if point != _NONE else {}
    return dict(terms)


def _product(scalar: bytes, point: bytes | Sum) -> Sum:
    factor = int.from_bytes(scalar, "little")
    return Sum({each: factor * count % ORDER for each, count in _counts(point).items()})


def _sum(left: bytes | Sum, right: bytes | Sum, sign: int = 1) -> Sum:
    counts = dict(_counts(left))
    for point, count in _counts(right).items():
        counts[point] = (counts.get(point, 0) + sign * count) % ORDER
    return Sum(counts)


SUMS = {
    "multiply": _product,
    "times_base": lambda scalar: _product(scalar, GENERATOR.encoded),
    "add": _sum,
    "subtract": lambda left, right: _sum(left, right, -1),
}


def _look(point: Point) -> bytes:
    encoded = _kept(point)
    if type(encoded) is Sum:
        encoded = encoded.encoded()
        _slot.__set__(point, encoded)
    return cast(bytes, encoded)


def _added(left: Point, right: object) -> Point:
    if type(right) is not Point:
        return NotImplemented
    return group._point(ristretto255.backend.add(_kept(left), _kept(right)))


def _subtracted(left: Point, right: object) -> Point:
    if type(right) is not Point:
        return NotImplemented
    return group._point(ristretto255.backend.subtract(_kept(left), _kept(right)))


def _multiplied(scalar: Scalar, other: object) -> object:
    if type(other) is not Point:
        return _of_scalars(scalar, other)
    return group._point(ristretto255.backend.multiply(scalar.encoded, _kept(other)))


_OPERATORS = (
    (Point, "__add__", _added),
    (Point, "__sub__", _subtracted),
    (Scalar, "__mul__", _multiplied),
)
_PLAIN = tuple((where, name, where.__dict__[name]) for where, name, _ in _OPERATORS)


def compute_sums_once() -> None:
    """Install the replacement in this process."""
    ristretto255.backend = cast(Any, SimpleNamespace(**{**vars(_plain), **SUMS}))
    for where, name, operator in ((Point, "encoded", property(_look, _slot.__set__)), *_OPERATORS):
        setattr(where, name, operator)


@contextmanager
def plain_arithmetic() -> Iterator[None]:
    """Use libsodium's own arithmetic during the block."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(ristretto255, "backend", _plain))
        for where, name, operator in _PLAIN:
            stack.enter_context(patch.object(where, name, operator))
        stack.callback(generators.cache_clear)  # cached generators would have no known sum
        yield
