"""Shapes of decoded messages: small predicates that can be combined. They put the limits on sizes
next to the messages.
"""

from collections.abc import Callable
from operator import call
from typing import Any

from protocol.limits import MAX_INT

Shape = Callable[[object], bool]
# Decoded list, such as the body of an entry. Its shape says what each item is.
Fields = list[Any]


def exactly(size: int) -> Shape:
    """Match a byte string of exactly `size` bytes."""
    return lambda value: type(value) is bytes and len(value) == size


def between(low: int, high: int) -> Shape:
    """Match a byte string of `low` to `high` bytes."""
    return lambda value: type(value) is bytes and low <= len(value) <= high


def text(high: int) -> Shape:
    """Match a text of 1 to `high` characters."""
    return lambda value: type(value) is str and 1 <= len(value) <= high


def uint(high: int = MAX_INT) -> Shape:
    """Match an integer from 0 to `high`, but no bool."""
    return lambda value: type(value) is int and 0 <= value <= high


def flag(value: object) -> bool:
    """Match true or false."""
    return type(value) is bool


def nothing(value: object) -> bool:
    """Match nil."""
    return value is None


def either(*shapes: Shape) -> Shape:
    """Match a value that at least one of the shapes matches."""
    return lambda value: any(shape(value) for shape in shapes)


def many(shape: Shape, low: int, high: int) -> Shape:
    """Match a list of `low` to `high` items of one shape."""
    return lambda value: (
        type(value) is list and low <= len(value) <= high and all(map(shape, value))
    )


def fields(*shapes: Shape) -> Shape:
    """Match a list with exactly one item for each shape, in order."""
    return lambda value: (
        type(value) is list and len(value) == len(shapes) and all(map(call, shapes, value))
    )
