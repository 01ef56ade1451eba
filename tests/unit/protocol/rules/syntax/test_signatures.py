"""Arguments of calls: which are permitted, and the place of each error."""

import pytest

from tests.support.rule_calls import call, error_of, function

OWN = "def g(a, b = 2):\n  return (a, b)\n"


@pytest.mark.parametrize(
    ("expression", "column", "key"),
    [
        ("g()", 10, "rules.argument.missing"),
        ("g(b = 1)", 10, "rules.argument.missing"),
        ("g(1, 2, 3)", 10, "rules.arguments"),
        ("g(1, c = 1)", 15, "rules.argument.unknown"),
        ("g(1, a = 1)", 15, "rules.argument.twice"),
        ("g(a = 1, a = 1)", 12, "rules.argument.twice"),
        ("len()", 10, "rules.arguments"),
        ("len([], [])", 10, "rules.arguments"),
        ("len(a = [])", 14, "rules.argument.unknown"),
        ("range()", 10, "rules.arguments"),
        ("range(1, 2, 3, 4)", 10, "rules.arguments"),
        ("sorted([], reversed = True)", 21, "rules.argument.unknown"),
        ("sorted([], key = 1)", 21, "rules.key"),
        ("sorted([], key = len)", 27, "rules.key"),
        ("sorted([], key = none)", 27, "rules.key"),
        ("sorted([], key = two)", 27, "rules.key"),
    ],
)
def test_wrong_argument_is_an_error_at_its_place(expression, column, key):
    more = "def none():\n  return 1\ndef two(a, b):\n  return 1\n"
    found = error_of(OWN + more + function(f"return {expression}"), 1)
    assert found == (8, column, key)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("g(1)", (1, 2)),
        ("g(b = 1, a = 2)", (2, 1)),
        ("list()", []),
        ("max(1, 2)", 2),
        ("sorted([2, 1], key = one)", [2, 1]),
    ],
)
def test_permitted_arguments_are_taken(expression, result):
    more = "def one(a, b = 0):\n  return b\n"
    assert call(OWN + more + function(f"return {expression}"), 1) == result
