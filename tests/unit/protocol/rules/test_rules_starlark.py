"""Every program in the rule language is Starlark, and gives the same result in a foreign Starlark
implementation.
"""

from random import Random

import pytest

from protocol.rules import RuleError, load, parse
from tests.support.starlark import Programs, evaluated
from tests.unit.docs.test_rules import tutorial

ALIKE = """
def key(c): return c[0]
PAIRS = [(1, "a"), (0, "b"), (1, "c"), (0, "d")]
BY = [sorted(PAIRS, key = key), sorted(PAIRS, key = key, reverse = True), max(PAIRS, key = key), min(PAIRS, key = key)]
WHOLE = [-7 // 2, -7 % 2, 7 // -2, 7 % -2, -8 // -3, -8 % -3, 0 // 5]
DICT = [k for k in {"b": 1, "a": 2, 3: 4}]
SAME = [1 == True, 0 == False, [1] == (1,), {1: 2, 3: 4} == {3: 4, 1: 2}, None == 0, 1 in [True], [] in [[]]]
TEXTS = [str(["t\\n\\t\\r\\\\\\"'", None, True, (), (1,), {"a": [1]}]), "%s %d%%" % ("x", -3), "%s" % [1]]
def scope(x): return [x for x in [1, 2]] + [x]
def loop():
    l, m = [0], []
    for x in [1, 2, 3]:
        if x == 2: continue
        m.append(x)
        l += [x]
    return (l, m, x)
OUT = str([BY, WHOLE, DICT, SAME, TEXTS, scope(7), loop(), region("a", "each", row = 3), draw("a", "b", 1)])
"""


def ours(text: str) -> object:
    return load(parse(text)).constants["OUT"]


def test_python_differences_follow_starlark():
    assert ours(ALIKE) == evaluated(ALIKE, "OUT")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_give_same_results(seed):
    programs, ran = Programs(seed), 0
    for _ in range(150):
        text = programs.program()
        try:
            found = ours(text)
        except RuleError:
            continue
        ran += 1
        assert found == evaluated(text, "OUT"), text
    assert ran > 60


@pytest.mark.slow
def test_tutorial_game_is_equal_at_every_table():
    rng, text = Random(7), tutorial()
    faces = load(parse(text)).constants["CARDS"]
    assert isinstance(faces, list)
    for _ in range(20):
        order = rng.sample(range(32), 32)
        cut = sorted(rng.sample(range(1, 32), 3))
        one, two, pile, deck = (order[a:b] for a, b in zip([0, *cut], [*cut, 32], strict=True))
        regions = {
            "hand": [one[: rng.randint(0, 2)], two],
            "pile": pile,
            "deck": deck[: rng.randint(0, 2)],
        }
        table = {
            "seats": 2,
            "out": [],
            "counters": {"free": rng.randint(0, 1)},
            "regions": regions,
            "faces": faces,
        }
        acts = [
            {"name": "draw"},
            *({"name": "lay", "card": card, "face": faces[card]} for card in order[:6]),
        ]
        asked = "".join(f"legal(G, 0, {act}), apply(G, 1, {act}), " for act in acts)
        played = f"{text}\nG = {table}\nOUT = str([start(G), winner(G), lapsed(G, 1), {asked}])\n"
        assert ours(played) == evaluated(played, "OUT")


def test_non_ascii_names_are_written_as_in_starlark():
    name = "\u00e9\x01\u0300\U0001f600\u200b"
    assert load(parse("def f(t): return str([t])\n")).call("f", name) == evaluated(
        f"OUT = str(['{name}'])", "OUT"
    )
