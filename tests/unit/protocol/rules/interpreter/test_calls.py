"""Calls of functions and methods in rule files."""

import pytest

from protocol.rules.interpreter.step_meter import CALL
from tests.support.rule_calls import call, error_of, function, steps_of

OWN = "def g(a, b = 5, c = 6):\n  return [a, b, c]\n"


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("x", [1, 5, 6]),
        ("x, 2", [1, 2, 6]),
        ("x, 2, 3", [1, 2, 3]),
        ("x, c = 2", [1, 5, 2]),
        ("c = 3, b = 2, a = x", [1, 2, 3]),
    ],
)
def test_call_fills_parameters_by_place_and_name(given, result):
    assert call(OWN + function(f"return g({given})"), 1) == result


def test_call_costs_its_steps_and_those_of_the_function():
    text = "def g(a):\n  return a\n"
    plain = steps_of(function("return x"), 1)
    inner = steps_of("def f(a):\n  return a\n", 1)
    assert steps_of(text + function("return g(x)"), 1) == plain + CALL + inner
    assert steps_of(function("return len([x])"), 1) == plain + CALL + 3


def test_function_called_before_its_definition_is_an_error():
    assert error_of("X = g()\ndef g():\n  return 1\n")[2] == "rules.early"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("sorted([3, 1, 2])", [1, 2, 3]),
        ("sorted([3, 1, 2], reverse = True)", [3, 2, 1]),
        ("sorted([3, 1, 2], key = g)", [2, 3, 1]),
        ("sorted([3, 1, 2], reverse = True, key = g)", [1, 3, 2]),
        ("min([3, 1, 2], key = g)", 2),
        ("max(3, 1, 2)", 3),
        ("max(3, 1, 2, key = g)", 1),
    ],
)
def test_sorted_min_and_max_use_their_key(expression, result):
    text = "def g(a):\n  return (a + 1) % 3 * 1 if a != 1 else 9\n"
    assert call(text + function(f"return {expression}"), 0) == result


def test_key_costs_a_call_for_each_element():
    text = "def g(a):\n  return a\n"
    plain = steps_of(function("return sorted([x, 2, 3])"), 1)
    keyed = steps_of(text + function("return sorted([x, 2, 3], key = g)"), 1)
    assert keyed - plain == 3 * (CALL + 2)


def test_fault_in_a_key_has_the_place_of_the_fault():
    text = "def g(a):\n  return 1 // a\n"
    assert error_of(text + function("return sorted([x], key = g)"), 0) == (2, 12, "rules.zero")


@pytest.mark.parametrize(
    ("expression", "column", "key"),
    [
        ("len(x)", 10, "rules.iterate"),
        ("[1].index(x)", 14, "rules.index.none"),
        ("x.keys()", 12, "rules.method.kind"),
    ],
)
def test_fault_of_built_in_has_place_of_call(expression, column, key):
    assert error_of(function(f"return {expression}"), 5) == (2, column, key)
