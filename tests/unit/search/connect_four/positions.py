"""Positions of Connect Four, and engines for them."""

from protocol.games.connect_four.rules import ConnectFour, State
from protocol.games.connect_four.solver import Engine, Meter
from protocol.games.connect_four.solver.board import Board, board_of
from protocol.games.connect_four.solver.compiled import Compiled
from protocol.games.connect_four.solver.recursive import Recursive

ENGINES = (Recursive, Compiled)
ENDLESS = Meter(1 << 40)


def engine_at(
    kind: type, game: ConnectFour, state: State, meter: Meter = ENDLESS
) -> tuple[Engine, Board]:
    """An engine of a kind for a position."""
    board = board_of(game, state.own, state.occupied)
    return kind(board, meter), board
