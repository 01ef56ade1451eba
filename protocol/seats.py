"""Numbers of seats, and tuples with one value for each."""

from typing import TypeVar

TABLE = 255  # the table's number as an author of entries; seats count from 0
Value = TypeVar("Value")


def with_seat(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """The same values but for this seat's."""
    return (*values[:seat], value, *values[seat + 1 :])
