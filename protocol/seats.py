"""Numbers of seats, and tuples with one value for each seat."""

from typing import TypeVar

TABLE = 255  # the table's number as an author of entries; seats count from 0
Value = TypeVar("Value")


def with_seat(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """Return `values` with another value for one seat."""
    return (*values[:seat], value, *values[seat + 1 :])
