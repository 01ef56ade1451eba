"""Every search algorithm finds the value by definition, with a playable line, within its budget."""

import pytest

from protocol.errors import LocalError
from protocol.games import Act, Settle
from search import LOSS, WIN, SearchEffort, ValueKind
from search.algorithms import ALGORITHMS, solve
from search.move_values import rate_moves
from search.search_game import search_game
from tests.support.errors import raises_text
from tests.support.guest_games.nim import Nim, State
from tests.unit.search.random_games import Place, World, minimax, reachable

ENOUGH = 100_000  # nodes
OWN = ("sweep", "formula", "perfect")  # algorithms of games with a solution of their own
EXACT = [name for name, row in ALGORITHMS.items() if row.exact and name not in OWN]
GENERAL = [name for name in ALGORITHMS if name not in OWN]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_search_values_match_the_definition(name):
    for seed in range(60):
        world = World(seed)
        rules, state = search_game(world), world.opening()
        found = solve(world, state, name, SearchEffort(ENOUGH))
        assert (found.value, found.kind) == (minimax(rules, state, state.mover), ValueKind.EXACT), (
            seed
        )


@pytest.mark.parametrize("name", EXACT)
def test_nim_is_solved_by_every_algorithm(name):
    nim = Nim("nim", 2, {})
    for heaps in ((1, 1, 1), (0, 2, 2), (1, 2, 3), (3, 1, 1), (2, 2, 0), (0, 0, 3), (3, 2, 0)):
        value = LOSS if heaps[0] ^ heaps[1] ^ heaps[2] == 0 else WIN
        found = solve(nim, State(heaps, 1, (0, 1)), name, SearchEffort(ENOUGH))
        assert found.value == value and found.kind is ValueKind.EXACT, heaps


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERAL)
def test_best_line_reaches_the_value(name):
    for seed in range(30):
        world = World(seed)
        rules, state = search_game(world), world.opening()
        found = solve(world, state, name, SearchEffort(ENOUGH, games=500))
        for move in found.moves:
            assert move in rules.moves(state, state.mover)
            state = rules.child(state, state.mover, move)
        if found.kind is ValueKind.EXACT and rules.turn(state) is None:
            assert rules.result(state, world.opening().mover) == found.value


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deepening", "scout", "mtd", "full", "retrograde"])
def test_best_move_keeps_the_value(name):
    for seed in range(30):
        world = World(seed)
        rules = search_game(world)
        for state in [*reachable(rules, world.opening())][:8]:
            found = solve(world, state, name, SearchEffort(ENOUGH))
            after = rules.child(state, state.mover, found.best)
            assert minimax(rules, after, state.mover) == found.value


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "name", ["full", "first-win", "alpha-beta", "table", "order", "deepening", "scout", "mtd"]
)
def test_depth_limit_gives_value_at_that_depth(name, depth):
    for seed in range(40):
        world = World(seed)
        rules, state = search_game(world), world.opening()
        found = solve(world, state, name, SearchEffort(ENOUGH, depth=depth))
        exact = found.kind is ValueKind.EXACT
        assert found.value == (minimax(rules, state, state.mover, None if exact else depth)), seed


@pytest.mark.parametrize("name", GENERAL)
@pytest.mark.parametrize("nodes", [0, 1, 2, 7, 50])
def test_search_keeps_its_node_budget(name, nodes):
    world = World(3, plies=9)
    found = solve(world, world.opening(), name, SearchEffort(nodes, games=nodes))
    assert (found.counts.leaves if name == "mcts" else found.counts.nodes) <= nodes
    assert found.kind is not ValueKind.NONE or found.best is None


@pytest.mark.parametrize("name", GENERAL)
def test_search_stops_on_request(name):
    asked = []
    world = World(3, plies=16, places=60, ends=0)

    def stop():
        asked.append(True)
        return len(asked) > 2

    found = solve(world, world.opening(), name, SearchEffort(10**9, stop, depth=16, games=10**9))
    assert (
        len(asked) == 3 and (found.counts.leaves if name == "mcts" else found.counts.nodes) <= 1000
    )


@pytest.mark.parametrize("name", ["deepening", "killers", "scout", "mcts"])
def test_search_has_a_move_after_one_node(name):
    world = World(5)
    assert solve(world, world.opening(), name, SearchEffort(1, games=1)).best is not None


@pytest.mark.parametrize("name", GENERAL)
def test_search_repeats_for_same_seed(name):
    world = World(8)
    effort = SearchEffort(500, seed=4, games=100)
    assert solve(world, world.opening(), name, effort) == solve(
        world, world.opening(), name, effort
    )


def test_search_bounds_never_exceed_the_value():
    class Sure(World):
        def guess(self, state, seat):
            return 7.0 if seat == 0 else -7.0

    world = Sure(1)
    found = solve(world, world.opening(), "depth", SearchEffort(ENOUGH, depth=1))
    assert found.kind is ValueKind.GUESS and abs(found.value) < WIN


def test_each_algorithm_visits_no_more_than_previous():
    steps = ("full", "first-win", "alpha-beta", "table")
    for seed in range(20):
        world = World(seed, plies=8)
        counts = [
            solve(world, world.opening(), name, SearchEffort(ENOUGH)).counts.nodes for name in steps
        ]
        assert counts == sorted(counts, reverse=True)


def refused(game, state=None):
    with pytest.raises(LocalError) as caught:
        solve(game, state, "scout", SearchEffort(100))
    return caught.value.phrase.key


def test_games_without_evaluation_are_refused():
    world = World(1)
    world.pieces = ("a tile",)
    assert refused(world) == "search.refused.pieces"
    assert refused(Nim("nim", 3, {})) == "search.refused.seats"
    nim = Nim("nim", 2, {})
    nim.wants = lambda state: Act((0, 1), simultaneous=True)
    assert refused(nim, State((3, 4, 5), 0, (0, 1))) == "search.refused.independent"
    nim.wants = lambda state: Settle()
    assert refused(nim, State((3, 4, 5), 0, (0, 1))) == "search.refused.chance"
    world = World(1)
    world.scores, world.winner = lambda state: (2, 1), lambda state: None
    assert refused(world, world.opening()) == "search.refused.scores"


def test_finished_game_has_no_move():
    assert refused(World(1), Place(6, 0, 0, WIN)) == "search.over"


def test_unknown_algorithm_is_named_with_valid_ones():
    with raises_text(LocalError, match=r"no algorithm fast.*scout"):
        solve(World(1), World(1).opening(), "fast", SearchEffort(1))


def test_game_without_formula_or_numbers_is_reported():
    world = World(1)
    for name, word in (("formula", "scout"), ("sweep", "retrograde")):
        with raises_text(LocalError, match=word):
            solve(world, world.opening(), name, SearchEffort(100))


def test_incomplete_formula_leaves_position_to_search():
    class Half(World):
        def solve_by_formula(self, state):
            return None

    world = Half(1)
    assert solve(world, world.opening(), "perfect", SearchEffort(ENOUGH)).kind is ValueKind.NONE
    found = rate_moves(search_game(world), world.opening(), SearchEffort(ENOUGH))
    assert found[0].value == minimax(search_game(world), world.opening(), world.opening().mover)
