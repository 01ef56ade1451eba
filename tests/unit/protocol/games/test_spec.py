"""Specs of games: the rules that they create."""

from dataclasses import replace

import pytest

from protocol.games.registry import BUILT_IN
from protocol.games.spec import TurnOrder

NIM = BUILT_IN.specs["nim"]


class Alike:
    """An object with the attributes of a game, which is none."""

    real_time, can_sit_out, pieces = False, False, ()

    def __init__(self, name, seats, values):
        self.name, self.seats = name, seats


@pytest.mark.parametrize("name", BUILT_IN.specs)
def test_registry_real_time_agrees_with_dynamics(name):
    spec = BUILT_IN.specs[name]
    game = spec.create(spec.default_seats, {})
    assert game.real_time is (spec.dynamics is TurnOrder.INDEPENDENT)


def test_create_with_object_like_a_game_raises():
    with pytest.raises(TypeError, match="Alike gives no"):
        replace(NIM, rules=f"{__name__}:Alike").create(2, {})


def test_create_with_other_dynamics_than_the_rules_raises():
    with pytest.raises(TypeError, match="real_time"):
        replace(NIM, dynamics=TurnOrder.INDEPENDENT).create(2, {})
