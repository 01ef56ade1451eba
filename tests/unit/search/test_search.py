"""Search reproduces known results of these games: the winners, and the nodes that each algorithm
visits.
"""

from dataclasses import replace
from functools import cache

import pytest

from protocol.games.registry import BUILT_IN
from search import DRAW, LOSS, WIN, SearchEffort, ValueKind
from search.algorithms import ALGORITHMS, solve
from search.minimax import first_win
from search.search_game import search_game
from tests.support.game_trees import open_game, positions, small_connect_four, value

ENOUGH = 2_000_000  # nodes
BOARDS = {  # width, height of hexapawn: value for the first player
    (3, 2): WIN,
    (4, 2): WIN,
    (2, 3): LOSS,
    (2, 4): LOSS,
    (3, 3): LOSS,
    (3, 4): LOSS,
    (4, 3): WIN,
    (4, 4): WIN,
    (5, 3): WIN,
    (3, 5): WIN,
}
SHORT = [name for name, row in ALGORITHMS.items() if row.exact]


def nodes(game, name, state=None):
    state = game.opening(0) if state is None else state
    found = solve(game, state, name, SearchEffort(ENOUGH))
    assert found.kind is ValueKind.EXACT
    return found.counts.nodes


@pytest.mark.parametrize("size", BOARDS)
@pytest.mark.parametrize("first", [0, 1])
def test_hexapawn_boards_have_known_values(size, first):
    game = open_game("hexapawn", width=size[0], height=size[1])
    found = solve(game, game.opening(first), "scout", SearchEffort(ENOUGH))
    assert (found.value, found.kind) == (BOARDS[size], ValueKind.EXACT)


def test_full_trees_have_known_sizes():
    assert nodes(open_game("hexapawn"), "full") == 252
    assert nodes(open_game("matches", n=10), "full") == 600
    assert nodes(open_game("hexapawn", width=4, height=3), "full") == 6_003


@pytest.mark.slow
def test_larger_full_tree_has_known_size():
    assert nodes(open_game("matches", n=20), "full") == 266_079


def test_nodes_to_first_win_depend_on_move_order():
    game = open_game("hexapawn")
    rules = search_game(game)

    def counted(order):
        ordered = replace(rules, moves=lambda state, seat: order(state, rules.moves(state, seat)))
        return first_win(ordered, game.opening(0), SearchEffort(ENOUGH)).counts.nodes

    def takes_first(state, moves):
        return sorted(moves, key=lambda move: (move[2] - move[1]) % 3 == 0)

    def by_cells(state, moves):
        return sorted(moves, key=lambda move: (move[1], (move[2] - move[1]) % 3 != 0))

    assert counted(lambda state, moves: moves) == nodes(game, "first-win") == 77
    assert [counted(order) for order in (takes_first, by_cells, game.order)] == [51, 49, 33]


def test_nim_numbers_give_the_values():
    game = open_game("nim")
    assert nodes(game, "sweep") == 384 - 1  # without the final position, in which nobody moves
    assert nodes(game, "formula") == 1
    state = game.opening(0)
    lost = [
        rest
        for rest in game.smaller_positions(state)
        if any(rest.rows) and solve(game, rest, "formula", SearchEffort(1)).value == LOSS
    ]
    assert len(lost) == 48 - 1
    assert len({tuple(sorted(rest.rows)) for rest in lost}) == 21 - 1


@pytest.mark.parametrize("misere", ["no", "yes"])
@pytest.mark.parametrize(
    ("name", "options"), [("nim", {"rows": "2-3-4-2"}), ("matches", {"n": 23})]
)
def test_formulas_and_numbers_agree_with_the_definition(name, options, misere):
    game, known = open_game(name, misere=misere, **options), {}
    for state in positions(game, game.opening(1)):
        if state.result is None:
            found = solve(game, state, "formula", SearchEffort(1))
            assert found.value == value(game, state, known)
            assert -value(game, game.apply(state, state.to_act, found.best), known) == found.value
    start = game.opening(1)
    swept = solve(game, start, "sweep", SearchEffort(ENOUGH))
    assert swept.value == value(game, start, known)


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize(
    ("game", "options"),
    [("hexapawn", {}), ("nim", {"rows": "1-2-3"}), ("nim", {"rows": "1-1-3", "misere": "yes"})],
)
def test_all_algorithms_agree_everywhere(name, game, options):
    game, known = open_game(game, **options), {}
    if not ALGORITHMS[name].fits(search_game(game)):
        return
    for state in positions(game, game.opening(0)):
        if state.result is None:
            assert solve(game, state, name, SearchEffort(ENOUGH)).value == value(
                game, state, known
            ), state


@cache
def late_in_small_connect_four():
    """Return sixty positions from which the rest can be searched completely."""
    _, known = small_connect_four()
    late = sorted(
        state for state in known if state.result is None and state.occupied.bit_count() >= 7
    )
    return late[:: len(late) // 60]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in SHORT if name not in ("full", "first-win", "sweep", "formula")]
)
def test_all_algorithms_agree_on_small_connect_four(name):
    game, known = small_connect_four()
    solver = BUILT_IN.spec("connect-four").load_solver()
    for state in late_in_small_connect_four():
        assert solve(game, state, name, SearchEffort(ENOUGH), solver).value == known[state], state


@pytest.mark.slow
def test_small_connect_four_is_a_draw():
    game = open_game("connect-four", width=4, height=4)
    for name in ("table", "mtd"):
        assert solve(game, game.opening(0), name, SearchEffort(ENOUGH)).value == DRAW


@pytest.mark.slow
def test_sweep_visits_every_small_connect_four_position():
    assert nodes(open_game("connect-four", width=4, height=4), "retrograde") == 161_029
