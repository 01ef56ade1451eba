"""Points of which is known how they came about are computed once, by whichever way this process
gets to them.

A proof of a shuffle is a few hundred products of points, and who checks it comes to the very points
that its author had, by other products: Σs'_i·e'_i − y·Σu_i·e_i is what Σω'_i·e'_i was. Here a point
that comes of others is the sum it is, of multiples of points that came of none: the generator, and
what was hashed or read. Two ways to the same sum are one point, and libsodium computes it once,
when somebody wants to see its bytes. A false proof comes to another sum, and so to other bytes, as
everywhere.

Only the arithmetic under `protocol.crypto.group` is replaced, and nothing that is above it; what a
sum comes to is always computed by libsodium. `tests/unit/protocol/crypto`, which is about this
arithmetic, goes without.
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

KEPT = 1 << 16  # points of which is known what they are the sum of: about a kilobyte each
Terms = frozenset[tuple[bytes, int]]  # points and how often each, from 1 to the order less 1

_plain: Any = ristretto255.backend
_multiply, _multiply_base = _plain.multiply, _plain.times_base
_add, _subtract = _plain.add, _plain.subtract
_NONE = bytes(ELEMENT_BYTES)  # the sum of no points
# where a point has its bytes, or a sum that nobody has looked at
_slot: Any = Point.__dict__["encoded"]
_kept = _slot.__get__
_of_scalars: Any = Scalar.__mul__
_terms_of: dict[bytes, Terms] = {}


class Sum:
    """A point as the sum of others; which bytes it is, is found out when they are asked for."""

    __slots__ = ("counts",)

    def __init__(self, counts: dict[bytes, int]) -> None:
        self.counts = counts

    def encoded(self) -> bytes:
        """Its bytes, of which is known from now on what they came of."""
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
    """What a point is the sum of; itself, if it came of no others here."""
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
    """From now on, in this process."""
    ristretto255.backend = cast(Any, SimpleNamespace(**{**vars(_plain), **SUMS}))
    for where, name, operator in ((Point, "encoded", property(_look, _slot.__set__)), *_OPERATORS):
        setattr(where, name, operator)


@contextmanager
def plain_arithmetic() -> Iterator[None]:
    """Each product and each sum is libsodium's, as outside of tests."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(ristretto255, "backend", _plain))
        for where, name, operator in _PLAIN:
            stack.enter_context(patch.object(where, name, operator))
        stack.callback(generators.cache_clear)  # their sum would not be known as one
        yield
