"""Positions of Connect Four, and engines for them."""

from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from search.connect_four import SolverBudget, SolverEngine
from search.connect_four.bit_board import BitBoard, board_of
from search.connect_four.compiled_engine import CompiledEngine
from search.connect_four.python_engine import PythonEngine

ENGINES = (PythonEngine, CompiledEngine)
ENDLESS = SolverBudget(1 << 40)


def engine_at(
    kind: type, game: ConnectFour, state: ConnectFourState, meter: SolverBudget = ENDLESS
) -> tuple[SolverEngine, BitBoard]:
    """Return an engine of a kind for a position."""
    board = board_of(game, state.own, state.occupied)
    return kind(board, meter), board
