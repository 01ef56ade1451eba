"""Rule files: time and memory of a usual action, and of the worst hostile files. Times are CPU
time, the minimum of some runs.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

from protocol.errors import Refused
from protocol.games import Action
from protocol.rules import load, parse
from tests.support.hostile_rules import COSTLY, HOSTILE, WORK, hostile_end
from tests.support.scripts import ClearTable, script

GAME = """\
SUITS = ["hearts", "spades", "diamonds", "clubs"]
SEVEN, EIGHT, JACK, ACE = 7, 8, 11, 14

def legal(g, me, act):
    n, name = g["counters"], act["name"]
    if n["wishing"] or name == "wish": return bool(n["wishing"]) and name == "wish"
    if name == "draw": return not n["drawn"]
    c, t = act["face"], face(g, top(g, "pile", None))
    if n["sevens"] and not n["drawn"]: return c["rank"] == SEVEN
    if c["rank"] == JACK: return t["rank"] != JACK
    if n["wish"]: return SUITS[n["wish"] - 1] == c["suit"] or c["rank"] == t["rank"]
    return c["suit"] == t["suit"] or c["rank"] == t["rank"]

def apply(g, me, act):
    n, rank = g["counters"], act["face"]["rank"]
    out = [move(act["card"], "pile", None), put("sevens", None, n["sevens"] + 1 if rank == SEVEN else 0)]
    if rank == JACK: return out + ([put("wishing", None, 1)] if len(cards(g, "hand", me)) > 1 else [end_turn()])
    out.append(put("wish", None, 0))
    again = rank in (EIGHT, ACE) and len(cards(g, "hand", me)) > 1
    return out if again else out + [end_turn()]

def winner(g):
    won = [s for s in (0, 1) if not cards(g, "hand", s) or not cards(g, "deck", s)]
    return won or None
"""
CHOICES = """\
RULES = {"name": "costly", "edition": 1, "seats": [2, 3], "decks": "shared"}
REGIONS = [region("deck", "one"), region("pile", "one", see = "all")]
ACTIONS = [action("go")]
COUNTERS = {"round": "one"}
CARDS = [{"name": "c%d" % n} for n in range(200)]
def start(g): return []
def legal(g, me, act): return True
def winner(g): return None
def apply(g, me, act): return """
GO: Action = ("go", 0, 0, 0, 0, b"")
RUNS = 5  # runs of each costly action
HAND = 7  # number of cards for which the rules are asked
FACE = {"name": "a", "suit": "hearts", "rank": 9}
TABLE = {
    "regions": {"pile": [0, 1, 2], "deck": [[3], [4]], "hand": [[5, 6], [7, 8]]},
    "counters": {"sevens": 0, "wish": 0, "drawn": 0, "wishing": 0},
    "faces": [FACE] * 9,
}


def measure(runs: int) -> dict[str, float]:
    """Measure a usual action `runs` times, and each hostile file a hundredth as often, but at least
    twice.
    """
    module = load(parse(GAME))
    few = max(2, runs // 100)

    def action() -> None:
        for card in range(HAND):
            module.call("legal", TABLE, 0, {"name": "play", "card": card, "face": FACE})
        module.call("legal", TABLE, 0, {"name": "draw"})
        module.call("apply", TABLE, 0, {"name": "play", "card": 5, "face": FACE})
        module.call("winner", TABLE)

    texts = list(HOSTILE.values())
    return {
        "rules_action_ms": _best(action, runs),
        "hostile_rules_ms": max(_best(lambda text=text: hostile_end(text), few) for text in texts),  # type: ignore[misc]
        "hostile_rules_mb": max(_memory(text) for text in texts),
        "script_choice_ms": _ordinary(),
        "costly_choice_ms": max(map(_costly, COSTLY.values())),
    }


def _ordinary() -> float:
    """Return the median CPU milliseconds to check and apply an action of crazy eights."""
    found: list[float] = []
    match = ClearTable(script("crazy-eights", 4), 1)
    while (want := match.onward()) is not None:
        action = match.rng.choice(match.choices(want.seats[0]))
        begun = time.process_time()
        match.post(want.seats[0], action)
        found.append(time.process_time() - begun)
    return sorted(found)[len(found) // 2] * 1000


def _costly(effects: str) -> float:
    """Return the minimal CPU milliseconds of an action that a hostile file makes costly. The action
    may be refused.
    """
    text = f"{CHOICES}{effects}\n{WORK}"
    found = []
    for _ in range(RUNS):
        match = ClearTable(script(text), texts=text)
        match.onward()
        gc.collect()
        begun = time.process_time()
        with suppress(Refused):
            match.post(0, GO)
        found.append(time.process_time() - begun)
    return min(found) * 1000


def _best(run: Callable[[], object], runs: int) -> float:
    """Return the minimal CPU milliseconds over `runs` runs."""
    found = []
    for _ in range(runs):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return min(found) * 1000


def _memory(text: str) -> float:
    """Return the peak memory in MB."""
    tracemalloc.start()
    try:
        hostile_end(text)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
