"""Who wins, for whoever asks every game so: a `protocol.games.spec.PositionSolver`."""

from collections.abc import Callable

from protocol.games import Action
from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from search.connect_four import SolverBudget
from search.connect_four.scores import best_move


def solve_position(
    game: ConnectFour, state: ConnectFourState, nodes: int, stop: Callable[[], bool]
) -> tuple[float, float, Action | None, int]:
    """Won, lost or a draw, of what the score is known to be; the move wins as soon as it can, or
    loses late.
    """
    found = best_move(game, state, SolverBudget(nodes, stop))
    least, most = (float((bound > 0) - (bound < 0)) for bound in found.score)
    return least, most, None if found.column is None else ("drop", found.column), found.nodes
