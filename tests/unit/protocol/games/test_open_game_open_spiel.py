"""Connect Four and Nim in lockstep with OpenSpiel (Apache-2.0), an independent implementation.

OpenSpiel's player 0 is our seat 0, which begins here. A move of Nim is one number there: (count −
1) · rows + row.
"""

from random import Random

import pytest

from protocol.games import Over
from tests.support.game_trees import open_game

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
GAMES = 60


def lockstep(game, theirs, number, rng):
    """Play one random game in both; `number` gives OpenSpiel's number of our action."""
    ours = game.opening(0)
    while game.wants(ours) != Over():
        assert theirs.current_player() == ours.to_act
        moves = game.legal(ours, ours.to_act, ())
        assert sorted(map(number, moves)) == sorted(theirs.legal_actions())
        move = rng.choice(moves)
        ours = game.apply(ours, ours.to_act, move)
        theirs.apply_action(number(move))
    assert theirs.is_terminal()
    one, other = game.scores(ours)
    assert theirs.returns() == [one - other, other - one]


@pytest.mark.parametrize(("width", "height"), [(7, 6), (4, 4), (5, 9), (12, 4)])
def test_connect_four_agrees_with_open_spiel(width, height):
    game, rng = open_game("connect-four", width=width, height=height), Random(width)
    theirs = pyspiel.load_game("connect_four", {"rows": height, "columns": width})
    for _ in range(GAMES):
        lockstep(game, theirs.new_initial_state(), lambda move: move[1], rng)


@pytest.mark.parametrize("rows", ["1-3-5-7", "4-4", "20-1-2-20-3"])
@pytest.mark.parametrize("misere", ["no", "yes"])
def test_nim_agrees_with_open_spiel(rows, misere):
    game, rng = open_game("nim", rows=rows, misere=misere), Random(1)
    sizes = {"pile_sizes": rows.replace("-", ";"), "is_misere": misere == "yes"}
    theirs = pyspiel.load_game("nim", sizes)
    count = len(rows.split("-"))
    for _ in range(GAMES):
        lockstep(
            game, theirs.new_initial_state(), lambda move: (move[2] - 1) * count + move[1], rng
        )
