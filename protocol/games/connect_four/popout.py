"""PopOut: Connect Four in which a seat may also take one of its own stones out of the bottom row
(Hasbro, 2009).

Actions: ("drop", column), and ("pop", column): the lowest stone of a column, which must be the
seat's own, is taken out, and all stones above it fall by one cell.

A pop may complete lines of both seats; then the seat that moved has won. So J. Pekkala has solved
the game (Computer analysis of Connect-4 PopOut, Oulu 2014), and so has Four-The-Win, which confirms
the result. Hasbro's rules do not mention the case.

A seat can always move: a full board has stones of both seats in its bottom row, since four of one
seat would be a line.

Positions may repeat, so a game need not end by itself. It is drawn after `MAX_POPOUT_MOVES` moves.
The number of moves is part of a position. Therefore no position can follow itself, and a search
needs no history.
"""

import re
from collections.abc import Iterator
from typing import Final

from protocol import schema
from protocol.games import Action
from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from protocol.games.open_game import DRAW
from protocol.limits import CONNECT_FOUR_BITS, MAX_POPOUT_MOVES
from protocol.options import Values

_WRITTEN: Final = re.compile("(p?)(.)", re.DOTALL)


def create_game(name: str, seats: int, values: Values) -> ConnectFour:
    """Create the rules that the option `popout` chooses."""
    return (PopOut if values["popout"] == "yes" else ConnectFour)(name, seats, values)


class PopOut(ConnectFour):
    """Rules of PopOut for a size of board."""

    solvable = False

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name, seats, values)
        self.action_shape = schema.fields(
            lambda word: word in ("drop", "pop"), schema.uint(self.width - 1)
        )
        column = (1 << self.height) - 1
        self._columns: Final = tuple(bottom * column for bottom in self.bottoms)
        pops = tuple(("pop", column) for column in range(self.width))
        self._pops: Final = tuple(zip(self.bottoms, pops, strict=True))

    def moves(self, state: ConnectFourState) -> tuple[Action, ...]:
        """List the columns that are not full, then those whose lowest stone is the seat's own."""
        own = state.own
        return (*super().moves(state), *[pop for bottom, pop in self._pops if own & bottom])

    def is_legal(self, state: ConnectFourState, action: Action) -> bool:
        """Check whether the column is not full, or its lowest stone is the seat's own."""
        if action[0] == "drop":
            return super().is_legal(state, action)
        return bool(state.own & self.bottoms[action[1]])

    def apply(self, state: ConnectFourState, seat: int, action: Action) -> ConnectFourState:
        """Return the position after a stone has fallen into a column, or was taken out of it."""
        if action[0] == "drop":
            after = super().apply(state, seat, action)
        else:
            after = self._pop(state, seat, self._columns[action[1]])
        moves = state.moves + 1
        # a full board is no end: the other seat has a stone to take out
        result = None if after.result == DRAW else after.result
        if result is None and moves >= MAX_POPOUT_MOVES:
            result = DRAW
        return ConnectFourState(after.own, after.occupied, after.to_act, result, moves)

    def _pop(self, state: ConnectFourState, seat: int, column: int) -> ConnectFourState:
        """Return the position after the lowest stone of a column was taken out. `column` has the
        cells of this column.
        """
        own = state.own & ~column | (state.own & column) >> 1 & column
        occupied = state.occupied & ~column | (state.occupied & column) >> 1 & column
        other = own ^ occupied
        if self.line_starts(own):
            return ConnectFourState(other, occupied, 1 - seat, seat)
        lost = self.line_starts(other)
        return ConnectFourState(other, occupied, 1 - seat, 1 - seat if lost else None)

    def key(self, state: ConnectFourState) -> int:
        """Number that is different for every position with the same seat to act."""
        return state.moves << CONNECT_FOUR_BITS | super().key(state)

    def written_moves(self, text: str) -> Iterator[Action]:
        """Read moves: a digit for a stone that falls, and `p` with a digit for one taken out."""
        for pop, digit in _WRITTEN.findall(text):
            (move,) = super().written_moves(digit)
            yield ("pop", move[1]) if pop else move
