"""Names of rule files: each error with its place, and the depth of calls."""

import pytest

from protocol.limits import MAX_RULE_CALLS, MAX_RULE_NAMES
from tests.support.rule_calls import call, error_of, function


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ("def f():\n  return abc\n", (2, 10), "rules.unknown"),
        ("HAND = 1\ndef f():\n  return HNAD\n", (3, 10), "rules.unknown.like"),
        ("def f():\n  return absent(1)\n", (2, 10), "rules.unknown"),
        ("def f():\n  return f\n", (2, 10), "rules.function.value"),
        ("X = 1\ndef X():\n  pass\n", (2, 5), "rules.twice"),
        ("def f(a, a):\n  pass\n", (1, 10), "rules.twice"),
        ("def min():\n  pass\n", (1, 5), "rules.taken"),
        ("X = 1\nX += 1\n", (2, 3), "rules.top.augment"),
        ("def f(x):\n  return x(1)\n", (2, 10), "rules.not_function"),
        ("X = 1\ndef f():\n  return X()\n", (3, 10), "rules.not_function"),
        ("def f():\n  break\n", (2, 3), "rules.no_loop"),
        ("def f():\n  if 1:\n    continue\n", (3, 5), "rules.no_loop"),
        ("def f(x):\n  return [j for i in x if j for j in x]\n", (2, 27), "rules.later"),
        ("def f(x):\n  return [i for i in i]\n", (2, 22), "rules.unknown"),
        ("def f(x):\n  y = [i for i in x]\n  return i\n", (3, 10), "rules.unknown"),
        ("def f(len):\n  return len([1])\n", (2, 10), "rules.not_function"),
        ("def f(k):\n  return sorted([1], key = k)\n", (2, 28), "rules.key"),
    ],
)
def test_wrong_name_is_an_error_at_its_place(text, place, key):
    line, column, found = error_of(text)
    assert ((line, column), found) == (place, key)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def f():\n  return f()\n", (2, 10)),
        ("def f():\n  return g()\ndef g():\n  return f()\n", (4, 10)),
        ("def f(x = 1):\n  return sorted([1], key = f)\n", (2, 28)),
    ],
)
def test_circular_call_is_an_error(text, place):
    line, column, key = error_of(text)
    assert (line, column, key) == (*place, "rules.recursion")


def chain(calls: int) -> str:
    """Return a file in which so many functions are in progress at once."""
    lines = [f"def g{at}():\n  return g{at + 1}()\n" for at in range(calls - 2)]
    return "".join(lines) + f"def g{calls - 2}():\n  return 1\ndef f():\n  return g0()\n"


def test_calls_too_deep_are_an_error():
    assert call(chain(MAX_RULE_CALLS - 1)) == 1
    assert error_of(chain(MAX_RULE_CALLS + 2))[2] == "rules.depth"


def test_top_of_a_file_counts_as_a_function_in_progress():
    assert call(chain(MAX_RULE_CALLS)) == 1
    assert error_of(chain(MAX_RULE_CALLS) + "X = f()\n")[2] == "rules.depth"
    assert error_of(chain(MAX_RULE_CALLS + 1))[2] == "rules.depth"


def test_name_of_a_function_may_hide_a_constant():
    assert call("X = 1\n" + function("X = x", "return X"), 5) == 5
    assert call("X = 1\n" + function("return [X for X in x]"), [7]) == [7]


def test_function_may_be_defined_after_its_use():
    assert call("def f():\n  return g()\ndef g():\n  return 3\n") == 3


def test_function_may_have_so_many_names():
    def text(names: int) -> str:
        return function(*(f"a{at} = x" for at in range(names - 1)), "return x")

    assert call(text(MAX_RULE_NAMES), 1) == 1
    assert error_of(text(MAX_RULE_NAMES + 1), 1)[2] == "rules.names"
