"""Nim: a seat takes any number of objects from one of several rows. Whoever takes the last object
wins or, in misère, loses.

Action: ("take", row, count), rows from 0. A position is lost for the seat to act exactly if the
exclusive or of its rows is 0 (C. L. Bouton, "Nim, a game with a complete mathematical theory",
1901).
"""

from collections.abc import Iterator
from functools import reduce
from itertools import product
from operator import xor
from typing import Final, NamedTuple

from protocol import schema
from protocol.games import Action
from protocol.games.nim.rows import parse_rows
from protocol.games.open_game import LOST, WON, OpenGame
from protocol.options import Values


class NimState(NamedTuple):
    """Position of Nim. A `protocol.games.open_game.OpenPosition`."""

    rows: tuple[int, ...]  # objects left in each row
    to_act: int
    result: int | None = None


class Nim(OpenGame[NimState]):
    """Rules of Nim for the rows of the option `rows`."""

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name)
        rows = parse_rows(values["rows"])
        assert rows is not None
        self.rows: Final = rows
        self.misere: Final = values["misere"] == "yes"
        self._takes: Final = tuple(
            tuple(("take", row, count) for count in range(1, left + 1))
            for row, left in enumerate(rows)
        )
        self.action_shape = schema.fields(
            lambda word: word == "take", schema.uint(len(rows) - 1), schema.uint(max(rows))
        )

    def opening(self, first: int) -> NimState:
        """Return the position with all rows complete."""
        return NimState(self.rows, first)

    def moves(self, state: NimState) -> tuple[Action, ...]:
        """List the moves row by row, each row from small counts to large ones."""
        return tuple(
            take
            for takes, left in zip(self._takes, state.rows, strict=True)
            for take in takes[:left]
        )

    def is_legal(self, state: NimState, action: Action) -> bool:
        """Check whether the row has `count` objects left."""
        _, row, count = action
        return bool(1 <= count <= state.rows[row])

    def apply(self, state: NimState, seat: int, action: Action) -> NimState:
        _, row, count = action
        rows, other = state.rows, 1 - seat
        rows = (*rows[:row], rows[row] - count, *rows[row + 1 :])
        if any(rows):
            return NimState(rows, other)
        return NimState(rows, other, other if self.misere else seat)

    def key(self, state: NimState) -> int:
        """Return the number of the position among all positions: its rows as digits in mixed base,
        the first row the most significant.
        """
        number = 0
        for left, row in zip(state.rows, self.rows, strict=True):
            number = number * (row + 1) + left
        return number

    def smaller_positions(self, state: NimState) -> Iterator[NimState]:
        """Iterate over `state` and all positions that can follow before the end, in ascending order
        of `key`. In each of them the seat to act is the same as in `state`.
        """
        every = product(*(range(left + 1) for left in state.rows))
        return (NimState(rows, state.to_act) for rows in every if any(rows))

    def solve_by_formula(self, state: NimState) -> tuple[float, Action]:
        """Return the value for the seat to act, 1 (it wins) or −1 (it loses), and its best move.
        The best move leaves a lost position to the other seat, if this is possible.

        By Bouton's theorem a position is lost if the exclusive or of its rows is 0. In misère this
        holds as well while some row has more than one object.
        """
        rows = state.rows
        if self.misere and sum(left > 1 for left in rows) <= 1:
            return self._last_rows(rows)
        odd = reduce(xor, rows)
        for row, left in enumerate(rows):
            if left ^ odd < left:
                return WON, ("take", row, left - (left ^ odd))
        return LOST, self.moves(state)[0]

    def _last_rows(self, rows: tuple[int, ...]) -> tuple[float, Action]:
        """Solve a misère position in which at most one row has more than one object: leaving an odd
        number of ones wins.
        """
        largest = max(range(len(rows)), key=rows.__getitem__)
        ones = sum(left == 1 for row, left in enumerate(rows) if row != largest)
        take = rows[largest] - (ones % 2 == 0)
        return (WON, ("take", largest, take)) if take else (LOST, ("take", largest, 1))

    def position(self, text: str) -> NimState | None:
        """Parse a position from the counts of its rows, as `1-0-5-7`, with seat 0 to act; None if
        the text is no position of this game.
        """
        parts = text.split("-")
        if len(parts) != len(self.rows) or not all(
            part.isascii() and part.isdigit() for part in parts
        ):
            return None
        rows = tuple(int(part[:9]) for part in parts)
        fits = any(rows) and all(left <= row for left, row in zip(rows, self.rows, strict=True))
        return NimState(rows, 0) if fits else None
