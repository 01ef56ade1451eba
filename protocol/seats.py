"""Tuples with one value for each seat."""

from typing import TypeVar

Value = TypeVar("Value")


def with_seat(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """The same values but for this seat's."""
    return (*values[:seat], value, *values[seat + 1 :])
