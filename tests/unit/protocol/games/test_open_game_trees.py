"""Known facts about these games: sizes of trees, numbers of positions, winners."""

from collections import Counter
from functools import reduce
from operator import xor

import pytest

from protocol.games.hexapawn.rules import Hexapawn
from tests.support.game_trees import (
    children,
    first_win,
    open_game,
    positions,
    small_connect_four,
    tree_nodes,
    value,
)

# (width, height): value for the first player, nodes of the whole tree, positions as the side to
# move sees them
HEXAPAWN = {
    (3, 2): (1, 5, 5),
    (4, 2): (1, 7, 7),
    (2, 3): (-1, 15, 14),
    (2, 4): (-1, 103, 46),
    (3, 3): (-1, 252, 131),
    (3, 4): (-1, 10_783, 755),
    (4, 3): (1, 6_003, 1_084),
}
LARGER = {(4, 4): (1, 13_855), (5, 3): (1, 8_348), (3, 5): (1, 2_522)}
FOUR_PLY = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]
FOUR_SEQUENCES = [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]


def as_the_mover_sees(game, state):
    """Return the own pawns and the opponent's, with the own side below."""
    if state.to_act == 0:
        return state.pawns
    line = game.width + 1
    rows = [
        [pawns >> line * row & (1 << line) - 1 for row in range(game.height)]
        for pawns in state.pawns
    ]
    low, high = (
        sum(bits << line * (game.height - 1 - at) for at, bits in enumerate(row)) for row in rows
    )
    return high, low


@pytest.mark.slow
@pytest.mark.parametrize("size", [*HEXAPAWN, (3, 5)])
@pytest.mark.parametrize("first", [0, 1])
def test_hexapawn_values_and_tree_sizes_are_known(size, first):
    game = open_game("hexapawn", width=size[0], height=size[1])
    start = game.opening(first)
    worth, *nodes, count = HEXAPAWN.get(size) or LARGER[size]
    assert value(game, start, {}) == worth
    assert len({as_the_mover_sees(game, state) for state in positions(game, start)}) == count
    assert [tree_nodes(game, start) for _ in nodes] == nodes


@pytest.mark.slow
@pytest.mark.parametrize("size", LARGER)
def test_larger_hexapawn_boards_have_known_values(size):
    game = open_game("hexapawn", width=size[0], height=size[1])
    found = positions(game, game.opening(0))
    assert (
        value(game, game.opening(0), {}),
        len({as_the_mover_sees(game, state) for state in found}),
    ) == LARGER[size]


@pytest.mark.parametrize("first", [0, 1])
def test_visited_hexapawn_nodes_depend_on_move_order(first):
    game = open_game("hexapawn")
    assert isinstance(game, Hexapawn)

    def own_order(state, moves):
        return moves

    def takes_first(state, moves):
        return sorted(moves, key=lambda move: (move[2] - move[1]) % 3 == 0)

    start = game.opening(first)
    assert [first_win(game, start, order) for order in (own_order, takes_first, game.order)] == [
        (77, -1),
        (51, -1),
        (33, -1),
    ]


def test_pawn_counts_match_the_paper():
    """49 nodes, as in the paper: pawns by rows from seat 0's side, each pawn's straight move
    first.
    """
    game = open_game("hexapawn")

    def by_cells(state, moves):
        return sorted(moves, key=lambda move: (move[1], (move[2] - move[1]) % 3 != 0))

    assert first_win(game, game.opening(0), by_cells) == (49, -1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "nodes"), [(10, 600), (20, 266_079)])
def test_matches_values_and_tree_sizes_are_known(n, nodes):
    game = open_game("matches", n=n)
    assert tree_nodes(game, game.opening(0)) == nodes


@pytest.mark.parametrize("misere", ["no", "yes"])
def test_matches_multiples_of_four_are_lost(misere):
    known: dict = {}
    for n in range(1, 60):
        game = open_game("matches", n=n, misere=misere)
        lost = n % 4 == (1 if misere == "yes" else 0)
        assert (value(game, game.opening(n % 2), known) == -1) is lost


def test_nim_values_are_known():
    game = open_game("nim")
    found, known = positions(game, game.opening(0)), {}
    assert value(game, game.opening(0), known) == -1
    lost = {state.rows for state in found if known[state] == -1}
    assert len({state.rows for state in found}) == 384
    assert len(lost) == 48
    bags = {tuple(sorted(rows)) for rows in lost}
    assert len(bags) == 21 and {(1, 2, 4, 7), (1, 2, 5, 6), (1, 3, 4, 6)} < bags
    assert lost == {state.rows for state in found if reduce(xor, state.rows) == 0}


def test_misere_nim_values_are_known():
    """Play is as in Nim, until no row has more than one left: then an odd number of rows loses."""
    game = open_game("nim", misere="yes", rows="1-3-4")
    known: dict = {}
    for state in positions(game, game.opening(1)):
        small = max(state.rows) <= 1
        lost = sum(state.rows) % 2 == 1 if small else reduce(xor, state.rows) == 0
        assert (value(game, state, known) == -1) is lost


@pytest.mark.parametrize("misere", ["no", "yes"])
@pytest.mark.parametrize(
    ("name", "options"),
    [("matches", {"n": 40}), ("nim", {}), ("nim", {"rows": "2-4-3-1"}), ("nim", {"rows": 9})],
)
def test_nim_formula_holds_everywhere(name, options, misere):
    game = open_game(name, misere=misere, **options)
    start, known = game.opening(1), {}
    for state in positions(game, start):
        if game.turn(state) is None:
            assert state.result is not None
            continue
        worth, move = game.solve_by_formula(state)
        after = game.apply(state, state.to_act, move)
        assert worth == value(game, state, known) == -value(game, after, known)
    keys = [game.key(state) for state in game.smaller_positions(start)]
    assert keys == sorted(set(keys)) and keys[-1] == game.key(start)
    assert set(keys) == {
        game.key(state) for state in positions(game, start) if game.turn(state) is not None
    }


def ply_by_ply(moves):
    """Count positions and sequences of up to `moves` moves on the standard board."""
    game = open_game("connect-four")
    ways = Counter([game.opening(0)])
    for _ in range(moves):
        yield len(ways), sum(ways.values())
        later: Counter = Counter()
        for state, count in ways.items():
            later.update(dict.fromkeys(children(game, state), count))
        ways = later
    yield len(ways), sum(ways.values())


@pytest.mark.slow
def test_connect_four_counts_match_by_ply():
    assert list(ply_by_ply(6)) == list(zip(FOUR_PLY, FOUR_SEQUENCES, strict=True))[:7]


@pytest.mark.slow
def test_connect_four_counts_match_to_eighth_ply():
    assert list(ply_by_ply(8)) == list(zip(FOUR_PLY, FOUR_SEQUENCES, strict=True))


@pytest.mark.slow
def test_connect_four_on_smallest_board_is_known():
    game, known = small_connect_four()
    assert known[game.opening(0)] == 0
    assert len(known) == len({game.key(state) for state in known}) == 161_029


@pytest.mark.slow
def test_connect_four_on_small_board_is_known():
    game = open_game("connect-four", width=4, height=5)
    assert len(positions(game, game.opening(0))) == 1_706_255
