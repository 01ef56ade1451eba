"""Vectors of chapters 32 and 33: results of files, their cost, and the positions of errors."""

from base64 import b64decode, b64encode
from typing import Any

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import RemoteError
from protocol.games import Lay, MatchBinding
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.rule_file.rule_set import MARK, read_rule_set, sign_rule_set
from protocol.identity.keys import Identity
from protocol.rules import RuleError, load, parse
from protocol.rules.prelude import PRELUDE
from tests.vectors.make.forms import Bad, Vector

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
    "a name beyond ASCII": "K\u00f6nig = 1\n",
    "a text that turns its direction": "X = '\u202e'\n",
    "too deep": "X = " + "(" * 41 + "1" + ")" * 41 + "\n",
}


def run_rules(text: str, calls: list[list[Any]]) -> dict[str, Any]:
    """Operation of 32.6: run a file and then calls. Return constants, results and steps, or the
    position of an error.
    """
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
    """Operation of 32.6: return the text of the prelude."""
    return {"text": PRELUDE}


WORK = """\
RULES = {"name": "work", "edition": 1, "seats": 2, "decks": "shared"}
REGIONS = [region("deck", "one"), region("b", "one"), region("own", "each")]
ACTIONS = [action(name) for name in ["count", "carry", "call", "burn", "end"]] + [action("mark", target = "deck")]
COUNTERS = {"n": "one", "points": "each"}
CARDS = [{"name": "c%d" % n} for n in range(6)]
def start(g): return [put("n", None, 1)]
def legal(g, me, act): return act["name"] != "end" or g["counters"]["n"] > 1
def apply(g, me, act):
    if act["name"] == "count": return [add("points", me, 1), put("n", None, 2), say("counted")]
    if act["name"] == "mark": return [mark(act["target"], "m", 1)]
    if act["name"] == "carry": return [move([0, 1], "own", me), move_all("own", "b", me), draw("b", "deck", me, 2)]
    if act["name"] == "call": return [then("more"), then("more")]
    if act["name"] == "burn": return [then("burn")] * 9
    return [end_turn()]
def more(g): return [add("n", None, 1)]
def burn(g): return [x for x in range(900) if x < 0]
def turn_begins(g, me): return [put("n", None, 1)]
def turn_ends(g, me): return []
def winner(g): return None
"""


def count_work(text: str, actions: list[list[Any]]) -> dict[str, Any]:
    """Operation of 33.7: return the cost of the beginning and of each action, or the code of the
    refusal, which changes nothing.
    """
    game = ScriptGame("script", 2, {"rules": rule_digest(text)})
    state = game.bind(
        game.start(JointRandomness(bytes(32), [bytes(32)])),
        MatchBinding(bytes(32), (bytes(32), bytes(32))),
    )
    state = game.apply(state, 0, ("rules", text))
    assert isinstance(game.wants(state), Lay)
    state = game.after_deal(state, ())
    found: list[int | str] = [state.spent]
    for seat, *action in actions:
        read = game.parse([*action, b""])
        try:
            game.check(state, seat, read)
        except RemoteError as error:
            found.append(str(error.code))
            continue
        state = game.apply(state, seat, read)
        found.append(state.spent)
    assert str(Code.TOO_COSTLY) in found
    return {"steps": found}


def read_signed(text: str) -> dict[str, Any]:
    """Operation of 33.10: return what the first line of a rule set says, and the file's name."""
    rules = read_rule_set(text)
    return {
        "author": rules.author,
        "name": rules.name,
        "number": rules.number,
        "id": rules.id,
        "previous": rules.header.previous,
        "rules": rules.digest,
    }


def _signed() -> Vector:
    first = sign_rule_set(AUTHOR, "r", "# once more\n")
    second = sign_rule_set(AUTHOR, "r", "# twice\n", first)
    line, _, body = second.text.partition("\n")
    changes = {
        "another text": (f"{line}\n# thrice\n", "bad_content"),
        "the signature of another record": (
            f"{MARK}{_mixed(second.text, first.text)}\n{body}",
            "bad_signature",
        ),
        "a rule set in a rule set": (f"{line}\n{first.text}", "bad_content"),
        "Base64 without its end": (f"{line[:-1]}\n{body}", "bad_encoding"),
        "a space more": (f"{line} \n{body}", "bad_encoding"),
        "nothing is signed": (body, "bad_content"),
    }
    bad = tuple(Bad(fault, {"text": text}, code) for fault, (text, code) in changes.items())
    return Vector("33.10", "the second edition", "read rule set", {"text": second.text}, bad)


def _mixed(one: str, other: str) -> str:
    """Put the signature of one set below the content of another."""
    raw, lent = (b64decode(text.partition("\n")[0].removeprefix(MARK)) for text in (one, other))
    return b64encode(raw[:-64] + lent[-64:]).decode()


AUTHOR = Identity(b"\x21" * 32)
OPERATIONS = {
    "run rules": run_rules,
    "rules prelude": prelude_text,
    "count work": count_work,
    "read rule set": read_signed,
}
ACTIONS = [
    [0, "end", 0, 0, 0, 0],
    [0, "count", 0, 0, 0, 0],
    [0, "mark", 0, 3, 0, 0],
    [0, "carry", 0, 0, 0, 0],
    [0, "burn", 0, 0, 0, 0],
    [0, "call", 0, 0, 0, 0],
    [0, "end", 0, 0, 0, 0],
    [1, "carry", 0, 0, 0, 0],
]


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    calls = [
        ["f", [5, 4, 3, 7]],
        ["f", [1, 2], 0],
        ["g", "abc"],
        ["g", ""],
        ["h", [3, 1, 2]],
        ["e", [1]],
    ]
    beyond = "# \u00fcber\nX = ['7\u2665', '\U0001f0cf' < '\uffff']\ndef f(t): return [len(t + X[0]), str([t])]\n"
    return [
        Vector(
            "32.1",
            "texts and comments beyond ASCII",
            "run rules",
            {"text": beyond, "calls": [["f", "\u00e9\U0001f600"]]},
        ),
        Vector("32.6", "the functions that every file may use", "rules prelude", {}),
        Vector(
            "32.6",
            "a file, and calls of its functions",
            "run rules",
            {"text": FILE, "calls": calls},
        ),
        Vector(
            "33.7", "the steps that actions take", "count work", {"text": WORK, "actions": ACTIONS}
        ),
        *(
            Vector("32.3", what, "run rules", {"text": text, "calls": []})
            for what, text in BROKEN.items()
        ),
        _signed(),
    ]
