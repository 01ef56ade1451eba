"""The rule language: permitted syntax, results and costs."""

import pytest

from protocol.limits import MAX_RULE_FILE, RULE_CALL_STEPS
from protocol.rules import RuleError, load, parse
from tests.support.errors import raises_text

PILE = """
RULES = {"name": "pile", "seats": 2}
REGIONS = [region("pile", "one", see = "all"), region("hand", "each", see = "owner", order = "hand", row = 1)]
LEAST, MOST = 2, 9

def legal(g, me, act):
    return LEAST <= act["face"]["rank"] and act["face"]["rank"] <= MOST

def apply(g, me, act):
    return [move(act["card"], "pile")] + ([end_turn()] if len(cards(g, "hand", me)) > 1 else [])
"""


def test_rule_file_has_constants_and_callable_functions():
    module = load(parse(PILE))
    assert module.functions == {"legal", "apply"}
    assert module.constants["REGIONS"][1]["order"] == "hand"
    assert module.call("legal", {}, 0, {"face": {"rank": 2}}) is True
    assert module.call("legal", {}, 0, {"face": {"rank": 10}}) is False
    given = {"regions": {"hand": [[3, 4], [5]], "pile": []}}
    assert module.call("apply", given, 0, {"card": 3}) == [["move", 3, "pile", None], ["end_turn"]]
    assert module.call("apply", given, 1, {"card": 5}) == [["move", 5, "pile", None]]


@pytest.mark.parametrize(
    ("text", "line", "column", "key"),
    [
        ("def f(a):\n    retrun a\n", 2, 5, "rules.keyword"),
        ("def f(a):\n  return b\n", 2, 10, "rules.unknown"),
        ("def f(hand):\n  return hnad\n", 2, 10, "rules.unknown.like"),
        ("def f():\n  return f()\n", 2, 10, "rules.recursion"),
        ("X = 1 < 2 < 3\n", 1, 11, "rules.compared"),
        ("X = [1\n", 1, 5, "rules.open"),
        ("X = 1\nX = 2\n", 2, 1, "rules.twice"),
        ("len = 1\n", 1, 1, "rules.taken"),
        ("X = 1.5\n", 1, 5, "rules.number"),
        ("\tX = 1\n", 1, 1, "rules.tab"),
        ("X = 1\nK\u00f6nig = 2\n", 2, 2, "rules.ascii"),
        ("X = 1 \u00d7 2\n", 1, 7, "rules.ascii"),
        ('X = "a\u202eb"\n', 1, 7, "rules.unsafe"),
        ("# \u2066 a comment\nX = 1\n", 1, 3, "rules.unsafe"),
        ("X = 1\nY = '\udcfc'\n", 2, 6, "rules.unsafe"),
        ("X = [1][1]\n", 1, 8, "rules.no_index"),
        ("X = 1 // 0\n", 1, 7, "rules.zero"),
        ("X = 9223372036854775807 + 1\n", 1, 25, "rules.range"),
        ("def f():\n  g = 1\n  g[0] = 2\n", 3, 4, "rules.target"),
        ("for i in [1]: pass\n", 1, 1, "rules.top"),
        ('X = region("a")\n', 1, 5, "rules.argument.missing"),
    ],
)
def test_rule_error_has_line_and_column(text, line, column, key):
    with pytest.raises(RuleError) as caught:
        load(parse(text))
    assert (caught.value.line, caught.value.column, caught.value.key) == (line, column, key)


def test_texts_and_comments_may_have_characters_outside_ascii():
    module = load(
        parse('# \u00fcber\nX = "7\u2665 \U0001f0cf"\ndef f(): return len(X)  # \u2660\n')
    )
    assert module.constants["X"] == "7\u2665 \U0001f0cf"
    assert module.call("f") == 4


def test_file_length_is_counted_in_bytes():
    line = "# " + "\u20ac" * (MAX_RULE_FILE // 3 - 1)
    assert len((line + "\n").encode()) <= MAX_RULE_FILE
    parse(line + "\n")
    with pytest.raises(RuleError) as caught:
        parse(line + "\u20ac\n")
    assert caught.value.key == "rules.long"


def test_only_lists_made_in_the_call_can_grow():
    module = load(
        parse(
            "X = [1]\ndef f(l):\n  l.append(1)\ndef g():\n  f(X)\ndef h():\n  f([])\n  return X\n"
        )
    )
    for name, *given in (("f", [1]), ("g",)):
        with raises_text(RuleError, match="cannot grow"):
            module.call(name, *given)
    assert module.call("h") == [1]


def test_list_cannot_grow_during_iteration():
    module = load(parse("def f():\n  l = [1]\n  for x in l:\n    l.append(x)\n    break\n"))
    with raises_text(RuleError, match="while a loop goes through it"):
        module.call("f")


def test_each_call_has_its_own_steps():
    module = load(parse("def f(n):\n  for i in range(n):\n    pass\n"))
    for _ in range(4):
        module.call("f", 4096)
    assert module.steps == 1 + 5 + 1 + 4096 * 2 < RULE_CALL_STEPS
    assert load(parse("def f():\n  return 1 + 2 * 3\n")).call("f") == 7


def test_call_cost_matches_documentation():
    """A statement costs 1, each node 1, a new list 3, an element 1, a call 5, sixteen characters of
    a text 1.
    """
    text = (
        "def f(a):\n  return [x + 1 for x in a if x > 1]\ndef g(a):\n  return f(a)\ndef h():\n  "
        "return 'ab' + 'cd'\n"
    )
    module = load(parse(text))
    assert module.call("f", [1, 2, 3]) == [3, 4]
    # return, comprehension, a; three elements with three nodes of the condition each; two with
    # three nodes; the result
    assert module.steps == 5 + 3 * (1 + 3) + 2 * 3 + 2
    module.call("g", [])
    assert module.steps == (1 + 5 + 1) + 5
    module.call("h")
    assert module.steps == 1 + 3 + 1
