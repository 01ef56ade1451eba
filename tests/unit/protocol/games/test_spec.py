"""Specs of games: the rules that they create."""

from dataclasses import replace

import pytest

from protocol.games.registry import BUILT_IN
from protocol.games.spec import TurnOrder
from protocol.i18n import english
from protocol.options import BadOptions
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import BulletList, Heading, RuleSheet
from protocol.view.text import phrase_renderer

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


def request_as_sheet(request):
    """Write a sheet that quotes its request."""
    values = tuple(phrase(f"{name} {value}") for name, value in request.values.items())
    return RuleSheet((Heading(phrase(request.language)), BulletList(values)))


def test_rule_sheet_with_given_options_has_all_values():
    spec = replace(NIM, sheet=f"{__name__}:request_as_sheet")
    sheet = spec.rule_sheet(2, {"misere": "yes"}, "de")
    assert encode_with_sentences(sheet, phrase_renderer(english, ())) == {
        "blocks": [
            {"is": "heading", "text": "de"},
            {"is": "list", "items": ["rows 1-3-5-7", "misere yes"]},
        ]
    }


def test_rule_sheet_of_game_without_one_is_none():
    assert replace(NIM, sheet="").rule_sheet(2, {}) is None


def test_rule_sheet_with_bad_options_raises():
    with pytest.raises(BadOptions):
        replace(NIM, sheet=f"{__name__}:request_as_sheet").rule_sheet(2, {"misere": "perhaps"})
