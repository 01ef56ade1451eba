"""Shapes of decoded messages: small predicates that compose, so that a rule on size stands beside
its message.
"""

from collections.abc import Callable
from operator import call

from protocol.limits import MAX_INT

Shape = Callable[[object], bool]


def exactly(size: int) -> Shape:
    """A byte string of this many bytes."""
    return lambda value: type(value) is bytes and len(value) == size


def between(low: int, high: int) -> Shape:
    """A byte string of `low` to `high` bytes."""
    return lambda value: type(value) is bytes and low <= len(value) <= high


def text(high: int) -> Shape:
    """Text of 1 to `high` characters."""
    return lambda value: type(value) is str and 1 <= len(value) <= high


def uint(high: int = MAX_INT) -> Shape:
    """An integer from 0 to `high` (a bool is not one)."""
    return lambda value: type(value) is int and 0 <= value <= high


def flag(value: object) -> bool:
    """True or false."""
    return type(value) is bool


def nothing(value: object) -> bool:
    """Nil."""
    return value is None


def either(*shapes: Shape) -> Shape:
    """Any one of the shapes."""
    return lambda value: any(shape(value) for shape in shapes)


def many(shape: Shape, low: int, high: int) -> Shape:
    """A list of `low` to `high` items of one shape."""
    return lambda value: (
        type(value) is list and low <= len(value) <= high and all(map(shape, value))
    )


def fields(*shapes: Shape) -> Shape:
    """A list with exactly one item for each shape, in order."""
    return lambda value: (
        type(value) is list and len(value) == len(shapes) and all(map(call, shapes, value))
    )
