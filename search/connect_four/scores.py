"""Scores of a position and of its moves, by questions with null windows to an engine."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from protocol.games import Action
from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from search.connect_four import SolverBudget, SolverEngine, SolverStopped
from search.connect_four.bit_board import BitBoard, board_of, mirrored
from search.connect_four.python_engine import PythonEngine

# Empty cells. With no more than these, Python finishes nearly every search before numba is loaded,
# which takes a second.
QUICK = 26


class ScoreBounds(NamedTuple):
    """Lower and upper bound of a score."""

    least: int
    most: int

    @property
    def exact(self) -> bool:
        """True if both bounds are equal."""
        return self.least == self.most


class BestMove(NamedTuple):
    """Score of a position and a move with this score. `column` is None unless both are known."""

    score: ScoreBounds
    column: int | None
    nodes: int


class MoveScores(NamedTuple):
    """Scores of all columns for the seat to move; None for a full column."""

    columns: tuple[ScoreBounds | None, ...]
    nodes: int

    @property
    def exact(self) -> bool:
        """True if all scores are known."""
        return all(bounds is None or bounds.exact for bounds in self.columns)


def engine_for(board: BitBoard, occupied: int, meter: SolverBudget) -> SolverEngine:
    """Choose the fastest installed engine. All engines return the same results and visit the same
    nodes.
    """
    if board.cells - occupied.bit_count() > QUICK:
        with suppress(ImportError):
            from search.connect_four.compiled_engine import CompiledEngine

            return CompiledEngine(board, meter)
    return PythonEngine(board, meter)


def best_move(game: ConnectFour, state: ConnectFourState, meter: SolverBudget) -> BestMove:
    """Return the score of an unfinished position, and the first column from the centre that has
    this score.
    """
    board = board_of(game, state.own, state.occupied)
    return best_by(engine_for(board, state.occupied, meter), board, state)


def best_by(engine: SolverEngine, board: BitBoard, state: ConnectFourState) -> BestMove:
    """Return the best move, as `best_move` does, by the given engine."""
    score = bounds_of(engine, board, state.own, state.occupied)
    column = None
    if score.exact:
        moves = _moves(board, state.occupied)
        with suppress(SolverStopped):
            column = next(
                board.column(move)
                for move in moves
                if _gets(engine, board, state, move, score.most)
            )
    return BestMove(score, column, engine.nodes)


def move_scores(game: ConnectFour, state: ConnectFourState, meter: SolverBudget) -> MoveScores:
    """Return the score of every move in an unfinished position."""
    board = board_of(game, state.own, state.occupied)
    return scores_by(engine_for(board, state.occupied, meter), board, state)


def scores_by(engine: SolverEngine, board: BitBoard, state: ConnectFourState) -> MoveScores:
    """Return all scores, as `move_scores` does, by the given engine. In a symmetric position, only
    one half is searched.
    """
    own = state.own
    occupied = state.occupied
    even = (own, occupied) == (mirrored(board, own), mirrored(board, occupied))
    found: dict[int, ScoreBounds] = {}
    for move in _moves(board, occupied):
        twin = board.width - 1 - board.column(move)
        found[board.column(move)] = (
            found[twin] if even and twin in found else _of_move(engine, board, state, move)
        )
    return MoveScores(tuple(found.get(column) for column in range(board.width)), engine.nodes)


def bounds_of(engine: SolverEngine, board: BitBoard, own: int, occupied: int) -> ScoreBounds:
    """Return the bounds of a score that the engine finds within its budget.

    Each question halves the bound that is farther from a draw: quick wins and losses are cheapest
    to find or to exclude.
    """
    left = board.cells - occupied.bit_count()
    if board.wins(own, occupied):
        return ScoreBounds((left + 1) // 2, (left + 1) // 2)
    least = -(left // 2)
    most = max(left - 1, 0) // 2
    with suppress(SolverStopped):
        while least < most:
            half = most // 2 if most >= -least else -(-least // 2) - 1
            alpha = min(max(half, least), most - 1)
            found = engine.above(own, occupied, alpha)
            if found > alpha:
                least = found
            else:
                most = found
    return ScoreBounds(least, most)


def _moves(board: BitBoard, occupied: int) -> Iterator[int]:
    possible = occupied + board.bottom & board.full
    return (possible & column for column in board.columns if possible & column)


def _of_move(
    engine: SolverEngine, board: BitBoard, state: ConnectFourState, move: int
) -> ScoreBounds:
    if move & board.lacking(state.own):
        last = (board.cells - state.occupied.bit_count() + 1) // 2
        return ScoreBounds(last, last)
    least, most = bounds_of(engine, board, state.own ^ state.occupied, state.occupied | move)
    return ScoreBounds(-most, -least)


def _gets(
    engine: SolverEngine, board: BitBoard, state: ConnectFourState, move: int, score: int
) -> bool:
    """Check that a move has the score of its position. Raises: SolverStopped."""
    if move & board.lacking(state.own):
        return True
    other = state.own ^ state.occupied
    occupied = state.occupied | move
    if board.wins(other, occupied):
        return score == -((board.cells - state.occupied.bit_count()) // 2)
    return engine.above(other, occupied, -score) <= -score


def solve_position(
    game: ConnectFour, state: ConnectFourState, nodes: int, stop: Callable[[], bool]
) -> tuple[float, float, Action | None, int]:
    """Solve a position, as a `protocol.games.spec.PositionSolver`.

    Returns the least and the greatest possible value (1 won, 0 drawn, −1 lost), the best move or
    None, and the number of nodes. The move wins as soon as possible, or loses as late as possible.
    """
    found = best_move(game, state, SolverBudget(nodes, stop))
    least, most = (float((bound > 0) - (bound < 0)) for bound in found.score)
    return least, most, None if found.column is None else ("drop", found.column), found.nodes
