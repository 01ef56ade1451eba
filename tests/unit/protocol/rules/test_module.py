"""Modules of rule files: loading, calls, and what calls do not share."""

import pytest

from protocol.limits import RULE_CALL_STEPS
from protocol.rules import RuleError, load, parse

TEXT = """\
LIST = [1, 2]
A, (B, C) = 3, (4, 5)

def grown(one, two = 2):
  own = list(LIST)
  own.append(one)
  return own

def count(n):
  for i in range(n): pass
  return n
"""


def test_calls_share_nothing():
    module = load(parse(TEXT))
    assert module.call("grown", 3) == [1, 2, 3]
    assert module.call("grown", 4) == [1, 2, 4]
    assert module.constants == {"LIST": [1, 2], "A": 3, "B": 4, "C": 5}


def test_steps_are_those_of_the_newest_call():
    module = load(parse(TEXT))
    loading = module.steps
    module.call("count", 10)
    ten = module.steps
    module.call("count", 11)
    assert module.steps - ten == 2 and loading > 0


def test_call_has_its_steps_and_not_one_more():
    module = load(parse(TEXT))
    _, steps = module.call_with_steps("count", 10)
    assert module.call_with_steps("count", 10, most=steps) == (10, steps)
    with pytest.raises(RuleError) as raised:
        module.call_with_steps("count", 10, most=steps - 1)
    assert raised.value.key == "rules.steps"
    with pytest.raises(RuleError):
        module.call("count", RULE_CALL_STEPS // 2)


def test_result_costs_a_step_for_each_element():
    module = load(parse("def f(x):\n  return x\n"))
    _, none = module.call_with_steps("f", [])
    assert module.call_with_steps("f", [1, [2, 3]])[1] == none + 4


@pytest.mark.parametrize(("given", "accepted"), [(0, False), (1, True), (2, True), (3, False)])
def test_function_accepts_its_number_of_values(given, accepted):
    module = load(parse(TEXT))
    assert module.accepts("grown", given) is accepted
    if not accepted:
        with pytest.raises(RuleError) as raised:
            module.call("grown", *[1] * given)
        assert (raised.value.key, raised.value.line) == ("rules.takes", 4)


def test_unknown_function_is_no_error_of_the_file():
    module = load(parse(TEXT))
    with pytest.raises(KeyError):
        module.call("absent")


@pytest.mark.parametrize(
    ("name", "place"), [("LIST", (1, 1)), ("grown", (4, 5)), ("A", (0, 0)), ("absent", (0, 0))]
)
def test_place_is_that_of_the_definition(name, place):
    assert load(parse(TEXT)).place(name) == place


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("X = 1\nY = X // 0\n", 2, "rules.zero"),
        ("X = range(3)\n", 1, "rules.range.list"),
        ("def g(l):\n  l.append(l)\n  return l\nX = g([1])\n", 4, "rules.deep"),
        ("A, B = 1, 2, 3\n", 1, "rules.unpack"),
        ("X = [0 for i in range(4096) for j in range(9) if 0]\n" * 1, 1, "rules.steps"),
    ],
)
def test_error_at_the_top_of_a_file_stops_loading(text, line, key):
    with pytest.raises(RuleError) as raised:
        load(parse(text))
    assert (raised.value.line, raised.value.key) == (line, key)
