"""Positions of Connect Four, and engines for them."""

from protocol.games.connect_four.rules import ConnectFour, State
from search.connect_four import (Engine, Meter)
from search.connect_four.bit_board import (Board, board_of)
from search.connect_four.compiled_engine import Compiled
from search.connect_four.python_engine import Recursive

ENGINES = (Recursive, Compiled)
ENDLESS = Meter(1 << 40)


def engine_at(
    kind: type, game: ConnectFour, state: State, meter: Meter = ENDLESS
) -> tuple[Engine, Board]:
    """An engine of a kind for a position."""
    board = board_of(game, state.own, state.occupied)
    return kind(board, meter), board
