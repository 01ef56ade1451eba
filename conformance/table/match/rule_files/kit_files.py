"""The kit's own rule files. No table has seen them before: a table learns them from the log
(33.1).
"""

from typing import Any

from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest

KIT = """\
RULES = {"name": "kit", "edition": 1, "seats": [2, 4], "decks": "shared"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"), region("pile", "one", see = "all"),
]
ACTIONS = [action("lay", card = "hand", face = "up"), action("go"), action("call", choice = ["odd", "even"])]
COUNTERS = {"points": "each"}
CARDS = [{"name": "card %d" % n, "n": n} for n in range(8)]
def start(g):
    return [shuffle("deck")] + [draw("deck", "hand", s, 2) for s in range(g["seats"])] + [toss(6, "landed")]
def landed(g, value):
    return [add("points", value % g["seats"], 1)]
def legal(g, me, act):
    return act["name"] == "lay" and (act["face"]["n"] < 7 or g["turns"] > 2)
def apply(g, me, act):
    return [move(act["card"], "pile"), end_turn()]
def lapsed(g, me):
    return [end_turn()]
def winner(g):
    return [0] if g["turns"] > 3 else None
"""
OWN = """\
RULES = {"name": "kit", "edition": 1, "seats": 2, "decks": "own"}
REGIONS = [
    region("deck", "each"), region("hand", "each", see = "owner", order = "hand"),
    region("field", "each", see = "owner", order = "row"), region("pile", "one", see = "all"),
]
ACTIONS = [action("hide", card = "hand", face = "down"), action("lay", card = "hand", face = "up")]
CARDS = [{"name": "card %d" % n, "n": n} for n in range(5)]
STARTER = [0, 1, 2, 3]
def deck_errors(cards):
    return [] if len(cards) == 4 else ["a deck has four cards"]
def start(g):
    return [shuffle("deck", s) for s in (0, 1)] + [draw("deck", "hand", s, 3) for s in (0, 1)]
def legal(g, me, act):
    return (act["name"] == "hide") == (g["turns"] < 5)
def apply(g, me, act):
    return [move(act["card"], "field" if act["name"] == "hide" else "pile", me), end_turn()]
def turn_ends(g, me):
    return [show(cards(g, "field", 0))] if g["turns"] == 4 else []
def winner(g):
    return [0] if g["turns"] > 3 else None
"""
NONSENSE = "RULES = this is no rule file\n"
ENDLESS = KIT.replace("return [add(", "return landed2(g, value) + [add(") + (
    "def landed2(g, value): return [x for a in range(4000) for b in range(4000) for x in "
    "range(4000)]\n"
)
COSTLY = (
    KIT.replace('return act["name"] == "lay"', 'return act["name"] == "go" or act["name"] == "lay"')
    .replace(
        "return [move(act",
        'if act["name"] == "go": return [then("burn")] * 43\n    return [move(act',
    )
    .replace(
        "def lapsed",
        "def burn(g):\n    for a in range(117):\n        for b in range(45): pass\n    return "
        "[]\ndef lapsed",
    )
)
# `go` leaves effects of a size of 2,660 behind a question
WAITS = KIT.replace(
    'return act["name"] == "lay"', 'return act["name"] == "go" or act["name"] == "lay"'
).replace(
    "return [move(act",
    'if act["name"] == "go": return [ask([me], ["lay", "go"])] + [say("a" * 200)] * 190\n'
    "    return [move(act",
)
# both seats choose at the same time
CROSSING = KIT + "def to_act(g): return [0, 1]\n"
# everybody may `call`, but whose hand has a card must lay it
JUDGED = (
    KIT.replace('act["name"] == "lay" and', 'act["name"] == "call" or act["name"] == "lay" and')
    .replace("return [move(act", 'return [end_turn()] if act["name"] == "call" else [move(act')
    .replace(
        "def lapsed", 'def judge(g, me, act, hand):\n    return act["name"] == "lay"\ndef lapsed'
    )
)


def terms(text: str, **more: Any) -> dict[str, Any]:
    """Return the terms of a match by this file; all seats of the kit have it."""
    return {
        "game": "script",
        "options": [["rules", rule_digest(text)]],
        "dealing": "verified",
        "deal_options": [["leavers", "threshold"]],
        "brings": Loadout(text=text),
        **more,
    }


def own(mode: str, brings: Loadout) -> dict[str, Any]:
    """Return the terms of a match in which seats bring their own decks."""
    options = [["mode", mode], ["rules", rule_digest(OWN)]]
    return {"game": "script", "options": options, "dealing": "verified", "brings": brings}
