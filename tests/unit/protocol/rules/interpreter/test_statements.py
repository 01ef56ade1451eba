"""Statements of the rule language: how they end, and what they cost."""

import pytest

from tests.support.rule_calls import call, error_of, function, steps_of

NESTED = function(
    "found = []",
    "for i in range(x):",
    "  for j in range(x):",
    "    if j == 2:",
    "      {word}",
    "    found.append((i, j))",
    "  found.append(i)",
    "return found",
)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("break", [(0, 0), (0, 1), 0, (1, 0), (1, 1), 1]),
        ("continue", [(0, 0), (0, 1), (0, 3), 0, (1, 0), (1, 1), (1, 3), 1]),
        ("pass", [(0, 0), (0, 1), (0, 2), (0, 3), 0]),
        ("return found", [(0, 0), (0, 1)]),
    ],
)
def test_flow_statement_in_nested_loops_ends_its_loop(word, found):
    text = NESTED.replace("{word}", word).replace("for i in range(x)", "for i in range(x - 2)")
    assert call(text, 4)[: len(found)] == found


@pytest.mark.parametrize(
    ("x", "result"), [(1, "one"), (2, "two"), (3, "many"), (True, "one"), (0, "many")]
)
def test_if_runs_the_first_branch_that_holds(x, result):
    text = function(
        'if x == 1 or x == True: return "one"',
        'elif x == 2: return "two"',
        'else: return "many"',
    )
    assert call(text, x) == result


def test_function_without_return_gives_none():
    assert call(function("pass"), 1) is None
    assert call(function("return"), 1) is None


@pytest.mark.parametrize(
    ("lines", "result"),
    [
        (["a, (b, c) = x", "return [c, b, a]"], [3, 2, 1]),
        (["x += [4]", "return x"], "rules.frozen"),
        (["y = list(x)", "y += [4]", "return y"], [1, (2, 3), 4]),
        (["y = x", "y = y + [4]", "return x"], [1, (2, 3)]),
        (["y = 5", "y -= 2", "return y"], 3),
        (["y += 1", "y = 2", "return y"], "rules.early"),
        (["a, b, c = x", "return a"], "rules.unpack"),
        (["a, b = 1", "return a"], "rules.unpack.kind"),
        (["for i in 5: pass"], "rules.iterate"),
        (['for i in "ab": pass'], "rules.iterate"),
    ],
)
def test_assignment_gives_its_values_or_is_an_error(lines, result):
    if isinstance(result, str):
        assert error_of(function(*lines), [1, (2, 3)])[2] == result
    else:
        assert call(function(*lines), [1, (2, 3)]) == result


@pytest.mark.parametrize(
    ("lines", "steps"),
    [
        (["pass"], 1),
        (["return"], 1),
        (["y = x"], 2),
        (["y = x", "y += 1"], 5),
        (["if x: pass"], 3),
        (["if not x: pass", "elif x: pass"], 5),
        (["for i in range(3): pass"], 13),
        (["for i in range(3): break"], 9),
        (["for a, b in [(1, 2)]: pass"], 14),
        (["a, b = 1, 2"], 9),
        (["a, (b, c) = 1, (2, 3)"], 16),
    ],
)
def test_statement_costs_the_steps_that_it_ran(lines, steps):
    assert steps_of(function(*lines), 1) == steps


def test_loop_that_returns_lets_its_list_grow_again():
    text = (
        "def first(l):\n  for one in l: return one\n"
        "def f(x):\n  l = [x]\n  y = first(l)\n  l.append(y)\n  return l\n"
    )
    assert call(text, 7) == [7, 7]
