"""Hexapawn on a board of any size: a seat wins by reaching the last row, and loses if it cannot
move.

A pawn moves one cell ahead if the cell is free, or captures one cell diagonally ahead. The pawns of
seat 0 start on row 0 and move up, whichever seat begins. Action: ("move", from, to). Cells are
counted along the rows from the left of seat 0: row · width + column.

A position consists of two integers with a bit for each pawn: row r, column c is bit r·(width + 1) +
c. The bit beside each row stays 0, so that no pawn captures across the edge.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from protocol import schema
from protocol.games import Action
from protocol.games.open_game import OpenGame
from protocol.options import Values


class HexapawnState(NamedTuple):
    """Position of Hexapawn. A `protocol.games.open_game.OpenPosition`."""

    pawns: tuple[int, int]  # pawns of each seat, as bits
    to_act: int
    result: int | None = None


class Pawn(NamedTuple):
    """Moves of a seat's pawn on one cell."""

    bit: int
    ahead: int  # bit of the cell ahead
    step: Action
    # for each cell that the pawn can capture on: its bit, and the action
    takes: tuple[tuple[int, Action], ...]


class Hexapawn(OpenGame[HexapawnState]):
    """Rules of Hexapawn for a size of board."""

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name)
        self.width: Final = int(values["width"])
        self.height: Final = int(values["height"])
        cells = self.width * self.height
        self._line: Final = self.width + 1
        self.bits: Final = tuple(
            1 << self._line * row + c for row in range(self.height) for c in range(self.width)
        )
        # home row of each seat, as bits
        self.home: Final = (sum(self.bits[: self.width]), sum(self.bits[-self.width :]))
        self._board: Final = sum(self.bits)
        self._pawns: Final = tuple(tuple(self._all_pawns(way)) for way in (1, -1))
        self.action_shape = schema.fields(
            lambda word: word == "move", schema.uint(cells - 1), schema.uint(cells - 1)
        )

    def _all_pawns(self, way: int) -> Iterator[Pawn]:
        """Iterate over the cells of a seat's pawns, row by row from its own side and from left to
        right. The last row is left out: a pawn that reaches it ends the game.
        """
        for row in range(self.height - 1)[::way]:
            for column in range(self.width):
                yield self._pawn((row + (way < 0)) * self.width + column, way)

    def _pawn(self, cell: int, way: int) -> Pawn:
        ahead = cell + way * self.width
        sides = (side for side in (-1, 1) if 0 <= cell % self.width + side < self.width)
        takes = tuple((self.bits[ahead + side], ("move", cell, ahead + side)) for side in sides)
        return Pawn(self.bits[cell], self.bits[ahead], ("move", cell, ahead), takes)

    def opening(self, first: int) -> HexapawnState:
        """Return the position with a row of pawns on each side."""
        return HexapawnState(self.home, first)

    def moves(self, state: HexapawnState) -> tuple[Action, ...]:
        """List the moves, beginning with the rearmost pawns, in each row from left to right. The
        move straight ahead comes before captures.
        """
        seat = state.to_act
        own, other = state.pawns[seat], state.pawns[1 - seat]
        occupied, found = own | other, []
        for bit, ahead, step, takes in self._pawns[seat]:
            if own & bit:
                if not occupied & ahead:
                    found.append(step)
                for taken, take in takes:
                    if other & taken:
                        found.append(take)
        return tuple(found)

    def is_legal(self, state: HexapawnState, action: Action) -> bool:
        return action in self.moves(state)

    def apply(self, state: HexapawnState, seat: int, action: Action) -> HexapawnState:
        """Return the position after a move or a capture."""
        leaves, comes = self.bits[action[1]], self.bits[action[2]]
        own, other = state.pawns[seat] ^ leaves | comes, state.pawns[1 - seat] & ~comes
        won = comes & self.home[1 - seat] or not self._can_move(1 - seat, other, own)
        return HexapawnState(
            (other, own) if seat else (own, other), 1 - seat, seat if won else None
        )

    def _can_move(self, seat: int, own: int, other: int) -> int:
        """Cells, as bits, that a seat's pawns can move to; 0 if it cannot move."""
        line, free = self._line, self._board & ~(own | other)
        if seat:
            return own >> line & free | (own >> line - 1 | own >> line + 1) & other
        return own << line & free | (own << line - 1 | own << line + 1) & other

    def guess(self, state: HexapawnState, seat: int) -> float:
        """Estimate the value of a position for a seat by the number of pawns and their progress.
        Strictly between −1 and 1.
        """
        value = self._material(state.pawns[0], range(self.height))
        value -= self._material(state.pawns[1], range(self.height - 1, -1, -1))
        guess = value / (self.width * 2 * self.height + 1)
        return -guess if seat else guess

    def _material(self, pawns: int, steps: range) -> int:
        """Sum up the worth of pawns: for each pawn the number of rows of the board, plus the steps
        that it has made.
        """
        row = (1 << self._line) - 1
        counts = ((pawns >> self._line * number & row).bit_count() for number in range(self.height))
        return sum(count * (self.height + made) for count, made in zip(counts, steps, strict=True))

    def order(self, state: HexapawnState, moves: Sequence[Action]) -> Sequence[Action]:
        """Sort moves for a search: the foremost pawns first, and captures before steps."""
        way = 1 if state.to_act else -1
        return tuple(
            sorted(
                moves,
                key=lambda move: (
                    way * (move[1] // self.width),
                    (move[2] - move[1]) % self.width == 0,
                ),
            )
        )

    def mirror(self, state: HexapawnState) -> HexapawnState:
        """Return the position with left and right exchanged."""
        return state._replace(
            pawns=(self._mirror_bits(state.pawns[0]), self._mirror_bits(state.pawns[1]))
        )

    def _mirror_bits(self, pawns: int) -> int:
        cells = enumerate(self.bits)
        across = self.width - 1
        return sum(
            self.bits[cell + across - 2 * (cell % self.width)] for cell, bit in cells if pawns & bit
        )
