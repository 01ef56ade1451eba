"""Functions of a game that a search uses: the methods of an open game, else the defaults."""

import pytest

from protocol.games.registry import create_game
from search.positions import opening_position
from search.search_game import search_game
from tests.support.guest_games.nim import HEAPS, Nim, State
from tests.unit.search.test_search_limits import Long

OPTIONAL = ("order", "mirror", "solve_by_formula", "smaller_positions")


class Named(Nim):
    """A game with attributes that are called like the methods of an open game, but are none."""

    key, guess, order, mirror, turn = "k", "g", "o", "m", "t"


@pytest.mark.parametrize(
    ("game", "state"),
    [
        (Nim("nim", 2, {}), State(HEAPS, 1, (0, 1))),
        (Named("nim", 2, {}), State(HEAPS, 1, (0, 1))),
        (Long("long"), Long("long").opening(1)),
    ],
    ids=["not open", "like named", "open"],
)
def test_search_game_without_own_methods_has_none(game, state):
    rules = search_game(game)
    assert {name: getattr(rules, name) for name in OPTIONAL} == dict.fromkeys(OPTIONAL)
    assert rules.key(state) is state and rules.guess(state, 1) == 0
    assert rules.turn(state) == state.to_act


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("matches", {"solve_by_formula", "smaller_positions"}),
        ("nim", {"solve_by_formula", "smaller_positions"}),
        ("hexapawn", {"order", "mirror"}),
        ("connect-four", {"order", "mirror"}),
    ],
)
def test_search_game_has_the_own_methods_of_open_game(name, own):
    game = create_game(name, 2, {})
    rules, state = search_game(game), opening_position(game)
    assert {each for each in OPTIONAL if getattr(rules, each) is not None} == own
    assert rules.key(state) == game.key(state)


def test_open_game_defaults_leave_position_as_it_is():
    game = Long("long")
    state = game.opening(0)
    assert game.key(state) is state and game.mirror(state) is state
    assert game.order(state, game.moves(state)) == game.moves(state)
    assert game.guess(state, 0) == 0 and game.position("44") is None
    assert game.solve_by_formula(state) is None
    with pytest.raises(NotImplementedError, match="long"):
        game.smaller_positions(state)
