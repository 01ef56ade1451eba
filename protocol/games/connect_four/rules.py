"""Connect Four on a board of any size: a stone falls into a column, four in a line win, and a full
board is a draw.

Action: ("drop", column), columns from 0.

A position consists of two integers of at most 64 bits: column c, height r is bit c·(height + 1) +
r. The bit on top of each column is always 0. Therefore dropping a stone is an addition whose carry
stays within its column, and lines do not continue in the next column. The sum of own stones, all
stones and the bottom row is different for every position (J. Tromp, 1995).
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from protocol import schema
from protocol.games import Action
from protocol.games.open_game import DRAW, OpenGame
from protocol.options import Values

DIGITS: Final = "0123456789"


class ConnectFourState(NamedTuple):
    """Position of Connect Four. A `protocol.games.open_game.OpenPosition`."""

    own: int  # stones of the seat to act, as bits
    occupied: int  # stones of both seats, as bits
    to_act: int
    result: int | None = None
    moves: int = (
        0  # number of moves so far; counted in PopOut only, where games could go on for ever
    )

    def stones(self, seat: int) -> int:
        """Stones of `seat`, as bits."""
        return self.own if seat == self.to_act else self.own ^ self.occupied


class ConnectFour(OpenGame[ConnectFourState]):
    """Rules of Connect Four for a size of board."""

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name)
        self.width: Final = int(values["width"])
        self.height: Final = int(values["height"])
        line = self.line = self.height + 1  # bits per column
        self.bottoms: Final = tuple(1 << line * column for column in range(self.width))
        self.bottom: Final = sum(self.bottoms)
        self.full: Final = self.bottom * ((1 << self.height) - 1)
        drops = tuple(("drop", column) for column in range(self.width))
        self._drops: Final = tuple(
            (bit << self.height - 1, drop) for bit, drop in zip(self.bottoms, drops, strict=True)
        )
        self._diagonals: Final = (self.height, self.height + 2)
        self.action_shape = schema.fields(lambda word: word == "drop", schema.uint(self.width - 1))

    def opening(self, first: int) -> ConnectFourState:
        """Return the position with an empty board."""
        return ConnectFourState(0, 0, first)

    def moves(self, state: ConnectFourState) -> tuple[Action, ...]:
        """List the columns that are not full, from left to right."""
        occupied = state.occupied
        return tuple([drop for top, drop in self._drops if not occupied & top])

    def is_legal(self, state: ConnectFourState, action: Action) -> bool:
        """Check whether the column is not full."""
        return not state.occupied & self._drops[action[1]][0]

    def apply(self, state: ConnectFourState, seat: int, action: Action) -> ConnectFourState:
        """Return the position after a stone has fallen into a column."""
        own, occupied, _, _, _ = state
        other = own ^ occupied
        occupied |= occupied + self.bottoms[action[1]]
        if self.line_starts(other ^ occupied):
            return ConnectFourState(other, occupied, 1 - seat, seat)
        return ConnectFourState(other, occupied, 1 - seat, DRAW if occupied == self.full else None)

    def line_starts(self, stones: int) -> int:
        """Cells, as bits, at which lines of four begin; 0 if there are none."""
        line, (down, up) = self.line, self._diagonals
        pairs = stones & stones >> 1
        found = pairs & pairs >> 2
        pairs = stones & stones >> line
        found |= pairs & pairs >> 2 * line
        pairs = stones & stones >> down
        found |= pairs & pairs >> 2 * down
        pairs = stones & stones >> up
        return found | pairs & pairs >> 2 * up

    def line_cells(self, stones: int) -> int:
        """Stones, as bits, that belong to a line of four."""
        found = 0
        for line in (1, self.line, *self._diagonals):
            pairs = stones & stones >> line
            first = pairs & pairs >> 2 * line
            found |= first | first << line | first << 2 * line | first << 3 * line
        return found

    def key(self, state: ConnectFourState) -> int:
        """Number that is different for every position with the same seat to act."""
        return state.own + state.occupied + self.bottom

    def guess(self, state: ConnectFourState, seat: int) -> float:
        """Estimate the value of a position for a seat: compare the number of free cells that would
        complete a line of four. Strictly between −1 and 1.
        """
        own, free = state.stones(seat), self.full ^ state.occupied
        other = own ^ state.occupied
        more = (self.completing_cells(own) & free).bit_count() - (
            self.completing_cells(other) & free
        ).bit_count()
        return more / (self.width * self.height)

    def completing_cells(self, stones: int) -> int:
        """Cells, as bits, that would complete a line of four of these stones. The result also
        contains occupied cells and bits outside of the board.
        """
        found = 0
        for line in (1, self.line, *self._diagonals):
            after, before = stones << line, stones >> line
            found |= after & stones << 2 * line & (stones << 3 * line | before)
            found |= before & stones >> 2 * line & (stones >> 3 * line | after)
        return found

    def order(self, state: ConnectFourState, moves: Sequence[Action]) -> Sequence[Action]:
        """Sort moves for a search: the central columns first."""
        centre = self.width - 1
        return tuple(sorted(moves, key=lambda move: abs(2 * move[1] - centre)))

    def mirror(self, state: ConnectFourState) -> ConnectFourState:
        """Return the position with left and right exchanged."""
        return state._replace(
            own=self._mirror_bits(state.own), occupied=self._mirror_bits(state.occupied)
        )

    def _mirror_bits(self, stones: int) -> int:
        column, found = (1 << self.line) - 1, 0
        for _ in range(self.width):
            found = found << self.line | stones & column
            stones >>= self.line
        return found

    def position(self, text: str) -> ConnectFourState | None:
        """Parse a position from its moves, as `44453`: a digit for the column (from 1) of each
        stone, seat 0 first. None if some move is illegal.
        """
        state = self.opening(0)
        for action in self.written_moves(text):
            if (
                state.result is not None
                or not 0 <= action[1] < self.width
                or not self.is_legal(state, action)
            ):
                return None
            state = self.apply(state, state.to_act, action)
        return state if text else None

    def written_moves(self, text: str) -> Iterator[Action]:
        """Read moves, each a digit. Any other character is a column that no board has."""
        for digit in text:
            yield "drop", int(digit) - 1 if digit in DIGITS else -1
