"""Both engines of Connect Four do the same search: equal answers and counts, and a stop when the
nodes are used up.
"""

from random import Random

import pytest

from protocol.limits import SOLVER_STOP_NODES
from protocol.numba_compile import compile_function
from scripts.connect_four import position_after, random_columns, rules
from search.connect_four import SolverBudget
from search.connect_four.bit_board import board_of
from search.connect_four.compiled_engine import CompiledEngine
from search.connect_four.python_engine import PythonEngine
from search.connect_four.scores import (
    best_by,
    best_move,
    bounds_of,
    engine_for,
    move_scores,
    scores_by,
)
from tests.unit.search.connect_four.positions import ENGINES, engine_at

pytestmark = pytest.mark.slow

SIZES = ((7, 6), (6, 5), (5, 9), (8, 7), (12, 4), (4, 15))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_both_engines_agree_in_answers_and_counts(width, height):
    game, random = rules(width, height), Random(width)
    for number in range(24):
        state = position_after(
            game, random_columns(game, width * height - random.randrange(1, 26), random)
        )
        meter, ask = (
            SolverBudget(random.choice((10, 300, 5000, 20_000))),
            (scores_by, best_by)[number % 2],
        )
        board = board_of(game, state.own, state.occupied)
        assert ask(PythonEngine(board, meter), board, state) == ask(
            CompiledEngine(board, meter), board, state
        )


def test_full_table_costs_only_more_nodes():
    game = rules(5, 4)
    state = game.opening(0)
    board = board_of(game, 0, 0)
    engines = [kind(board, SolverBudget(1 << 40), table=3000) for kind in ENGINES]
    assert {bounds_of(engine, board, state.own, state.occupied) for engine in engines} == {(0, 0)}
    assert {engine.nodes for engine in engines} == {55_575}


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("nodes", [0, 1, 77, SOLVER_STOP_NODES, SOLVER_STOP_NODES + 1, 40_000])
def test_node_limit_is_kept_and_bounds_are_true(kind, nodes):
    game = rules(5, 5)
    engine, board = engine_at(kind, game, game.opening(0), SolverBudget(nodes))
    least, most = bounds_of(engine, board, 0, 0)
    assert least <= 0 <= most
    assert least < most
    assert engine.nodes == nodes


@pytest.mark.parametrize("kind", ENGINES)
def test_stopped_search_returns_no_exact_score(kind):
    asked = []

    def third_time():
        asked.append(None)
        return len(asked) >= 3

    game = rules()
    state = game.opening(0)
    engine, board = engine_at(kind, game, state, SolverBudget(1 << 40, third_time))
    found = best_by(engine, board, state)
    assert found.column is None
    assert not found.score.exact
    assert found.nodes == 2 * SOLVER_STOP_NODES
    assert not scores_by(engine, board, state).exact


@pytest.mark.parametrize("columns", ["", "3", "012345", "3333332"])
def test_search_without_nodes_returns_no_score(columns):
    game = rules()
    state = position_after(game, map(int, columns))
    assert best_move(game, state, SolverBudget(0)).column is None
    assert not move_scores(game, state, SolverBudget(0)).exact


def test_immediate_win_costs_no_nodes():
    game = rules()
    state = position_after(game, [3, 0, 3, 0, 3, 0])
    assert best_move(game, state, SolverBudget(0)) == ((18, 18), 3, 0)


def test_position_with_one_free_cell_is_scored():
    game = rules(4, 4)
    state = position_after(game, random_columns(game, 15, Random(2)))
    (_, column), *_ = game.moves(state)
    won = game.apply(state, state.to_act, ("drop", column)).result == state.to_act
    assert best_move(game, state, SolverBudget(10)).score == ((1, 1) if won else (0, 0))


def test_compiled_engine_is_chosen_for_long_searches():
    game = rules()
    early, late = game.opening(0), position_after(game, random_columns(game, 20, Random(1)))
    for state, kind in ((early, CompiledEngine), (late, PythonEngine)):
        assert isinstance(
            engine_for(board_of(game, state.own, state.occupied), state.occupied, SolverBudget(1)),
            kind,
        )


def test_position_key_may_use_all_64_bits():
    """The bit above the last column is the word's sign in the compiled search."""
    game = rules(4, 15)
    for columns in ([3] * 15, [3] * 14, [3, 3, 0, 1] * 7 + [3]):
        state = position_after(game, columns)
        board, meter = board_of(game, state.own, state.occupied), SolverBudget(9000)
        assert scores_by(PythonEngine(board, meter), board, state) == scores_by(
            CompiledEngine(board, meter), board, state
        )


def test_engine_without_numba_cache_is_compiled_anyway():
    nowhere = eval("lambda number: number + 1")  # code without a file
    assert compile_function(nowhere)(1) == 2
