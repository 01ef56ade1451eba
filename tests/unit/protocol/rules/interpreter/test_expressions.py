"""Expressions of the rule language: results, order, and cost of what ran."""

import pytest

from tests.support.rule_calls import call, error_of, function, steps_of


def value(expression: str, x: object = 1) -> object:
    return call(function(f"return {expression}"), x)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3 - 4 // 3", 6),
        ("-x + 2", 1),
        ("(1 + 2) * 3", 9),
        ("not x == 2", True),
        ("x or 1 // 0", 1),
        ("x - 1 and 1 // 0", 0),
        ("0 or []", []),
        ('"a" if x else 1 // 0', "a"),
        ("1 if not x else 2 if x == 1 else 3", 2),
        ("[x, (x,), {x: [x]}]", [1, (1,), {1: [1]}]),
        ("[5, 6, 7][-1]", 7),
        ("[5, 6, 7][:x]", [5]),
        ('"abc"[::-1]', "cba"),
        ('{"a": 5}["a"]', 5),
        ('"%s-%d" % ("a", x)', "a-1"),
        ("x not in [2]", True),
        ("()", ()),
    ],
)
def test_expression_has_its_value(expression, result):
    found = value(expression)
    assert found == result and type(found) is type(result)


@pytest.mark.parametrize(
    ("expression", "column", "key"),
    [
        ("1 // (x - 1)", 12, "rules.zero"),
        ("1 + 2 + None", 16, "rules.operands"),
        ("-None", 10, "rules.operand"),
        ("[1][x]", 13, "rules.no_index"),
        ("{1: 2, x: 3}", 17, "rules.key.twice"),
        ("{None: 2}", 11, "rules.dict.key"),
        ("x < None", 12, "rules.order"),
    ],
)
def test_fault_has_the_place_of_its_operator(expression, column, key):
    assert error_of(function(f"return {expression}"), 1) == (2, column, key)


def test_operands_run_from_left_to_right():
    text = (
        "def note(l, one):\n  l.append(one)\n  return one\n"
        "def f(x):\n  l = []\n"
        "  y = note(l, 1) + note(l, 2) * note(l, 3)\n"
        "  z = {note(l, 4): note(l, 5)}\n"
        "  w = [note(l, 6), note(l, 7)]\n"
        "  return l\n"
    )
    assert call(text, 0) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("x", 1),
        ("x + 1", 3),
        ("x + 1 + 1", 5),
        ("not x", 2),
        ("x == 1", 3),
        ("x or x + 1", 2),
        ("x and x + 1", 5),
        ("x if x else x + 1", 3),
        ("x + 1 if x else x + 1 + 1", 5),
        ('"a"[0]', 3),
        ('"ab" % ()', 6),
        ('"%%" % ()', 7),
        ('"%d" % x', 11),
    ],
)
def test_expression_costs_only_what_ran(expression, steps):
    returning = steps_of(function("return"), 1)
    assert steps_of(function(f"return {expression}"), 1) - returning == steps
