"""Vectors of chapter 32: what files come to, what it costs, and where errors stand."""

from typing import Any

from protocol.rules import RuleError, load, parse
from protocol.rules.prelude import PRELUDE
from tests.vectors.make.forms import Vector

FILE = """\
RULES = {"name": "r", "seats": 2}
RANKS = [r * 2 for r in range(3) if r != 1] + [-7 // 2, -7 % 3]
def key(c): return c[1]
def f(a, b = 2):
    n, out = b, []
    for i, x in enumerate(a):
        if x in (4, 5) or not x: continue
        out.append((x, n % 3))
        n += i * x
    return sorted(out, key = key, reverse = True)
def g(t):
    return "%s: %d%%" % (t[::-1], len(t)) if t != "" else str([t, None, {"a": (1,)}])
def h(l):
    return [max(l), min(l, key = size), l[1:] + l[:1], 1 == True, [1] < [1, 2], "b" in "abc"]
def size(x): return -x
def e(l):
    l.append(1)
"""
BROKEN = {
    "a name of nothing": "def f(a):\n  return b\n",
    "a circle": "def f(): return g()\ndef g(): return f()\n",
    "two comparisons": "X = 1 < 2 < 3\n",
    "beyond the largest": "X = 9223372036854775807 + 1\n",
    "kinds that have no order": "X = sorted([1, 'a'])\n",
    "indented so by nobody": "def f():\n    if 1:\n        pass\n  pass\n",
    "too deep": "X = " + "(" * 41 + "1" + ")" * 41 + "\n",
}


def run_rules(text: str, calls: list[list[Any]]) -> dict[str, Any]:
    """32.6: constants and the steps of the top, then each call: what it gives and its steps; an error's place."""
    try:
        module = load(parse(text))
    except RuleError as error:
        return {"line": error.line, "column": error.column}
    found: list[Any] = []
    steps = module.steps
    for name, *arguments in calls:
        try:
            found.append({"gives": module.call(name, *arguments), "steps": module.steps})
        except RuleError as error:
            found.append({"line": error.line, "column": error.column})
    return {"constants": dict(module.constants), "steps": steps, "calls": found}


def prelude_text() -> dict[str, Any]:
    """32.6: the prelude."""
    return {"text": PRELUDE}


OPERATIONS = {"run rules": run_rules, "rules prelude": prelude_text}


def vectors() -> list[Vector]:
    """All of them."""
    calls = [["f", [5, 4, 3, 7]], ["f", [1, 2], 0], ["g", "abc"], ["g", ""], ["h", [3, 1, 2]], ["e", [1]]]
    return [
        Vector("32.6", "the functions that every file may use", "rules prelude", {}),
        Vector("32.6", "a file, and calls of its functions", "run rules", {"text": FILE, "calls": calls}),
        *(Vector("32.3", what, "run rules", {"text": text, "calls": []}) for what, text in BROKEN.items()),
    ]
