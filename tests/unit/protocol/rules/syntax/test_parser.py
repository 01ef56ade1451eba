"""Grammar of rule files: the accepted form, and the nearest wrong form with its place."""

import pytest

from protocol.limits import MAX_RULE_NESTING
from tests.support.rule_calls import call, error_of, function

ACCEPTED = [
    "def f(): return 1\n",
    "def f():\n  return 1\n",
    "def f():\n  if 1: return 1\n  return 2\n",
    "def f():\n  if 0: pass\n  elif 1: return 1\n  else: return 2\n",
    "def f():\n  for a, (b, c) in [(0, (0, 1))]: return c\n",
    "def f():\n  (a, b), c = (1, 2), 3\n  return a\n",
    "def f(a = 1, b = None, c = -0):\n  return a\n".replace("-0", "0"),
    "def f(a = 1,):\n  return a\n",
    "X = [\n  1,\n]\ndef f():\n  return X[0]\n",
    "# note\n\ndef f():\n\n  # note\n  return 1  # note\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_form_of_the_grammar_is_accepted(text):
    assert call(text) == 1


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ("  X = 1\n", (1, 3), "rules.indented"),
        ("if 1: pass\n", (1, 1), "rules.top"),
        ("return 1\n", (1, 1), "rules.top"),
        ("def f():\nreturn 1\n", (2, 1), "rules.block"),
        ("def f():\n  def g(): pass\n", (2, 3), "rules.inner"),
        ("def f():\n  X = 1\n    Y = 1\n", (3, 5), "rules.indented"),
        ("def f():\n  else: pass\n", (2, 3), "rules.else"),
        ("def f():\n  elif 1: pass\n", (2, 3), "rules.else"),
        ("def f(a = 1, b): pass\n", (1, 14), "rules.default"),
        ("def f():\n  1 = 2\n", (2, 3), "rules.target"),
        ("def f():\n  () = ()\n", (2, 3), "rules.target"),
        ("def f():\n  a, 1 = 1, 2\n", (2, 6), "rules.target"),
        ("def f():\n  a[0] += 2\n", (2, 4), "rules.augment"),
        ("X = 1(2)\n", (1, 6), "rules.call.what"),
        ("X = [1].push(2)\n", (1, 9), "rules.method"),
        ("X = [1].index()\n", (1, 9), "rules.method.arguments"),
        ("X = 1 == 2 == 3\n", (1, 12), "rules.compared"),
    ],
)
def test_nearest_wrong_form_is_an_error_at_its_place(text, place, key):
    line, column, found = error_of(text)
    assert ((line, column), found) == (place, key)


@pytest.mark.parametrize(
    "text", ["def f(a = [1]): pass\n", "def f(a = b): pass\n", "def f(: pass\n", "X = 1 2\n"]
)
def test_token_that_cannot_follow_is_an_error(text):
    assert error_of(text)[0] == 1


@pytest.mark.parametrize(("left", "right"), [("(", ")"), ("[", "]"), ("-", ""), ("not ", "")])
def test_expression_nested_too_deep_is_an_error(left, right):
    def nested(depth: int) -> str:
        return function(f"return {left * depth}x{right * depth}")

    call(nested(MAX_RULE_NESTING // 2), 1)
    assert error_of(nested(MAX_RULE_NESTING + 1), 1)[2] == "rules.nesting"


def test_blocks_nested_too_deep_are_an_error():
    def nested(depth: int) -> str:
        lines = [f"{' ' * (level + 1)}if 1:\n" for level in range(depth)]
        return "def f():\n" + "".join(lines) + " " * (depth + 1) + "return 1\n"

    assert call(nested(MAX_RULE_NESTING // 2)) == 1
    assert error_of(nested(MAX_RULE_NESTING + 1))[2] == "rules.nesting"
