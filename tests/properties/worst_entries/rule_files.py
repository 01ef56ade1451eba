"""Search for rule files whose actions are taken and cost most."""

from collections.abc import Iterator
from functools import partial
from random import Random
from statistics import median
from typing import NamedTuple

from protocol.errors import Refused
from protocol.games import Action
from tests.properties.worst_entries.language import CONSTRUCTS
from tests.properties.worst_entries.measuring import REPEATS, Worst, milliseconds
from tests.support.scripts import ClearTable, script

ORDINARY = {"element-duel": 2, "mau-mau": 2, "mau-mau-shared": 4, "crazy-eights": 4}
MOST_TIMES = 256  # repetitions of effects; more are always refused
NOTHING = 10.0  # milliseconds that count for a file that is not taken
GO: Action = ("go", 0, 0, 0, 0, b"")
EFFECTS = (
    "move_all('deck', 'pile'), move_all('pile', 'deck')",
    "move(0, 'pile'), move(0, 'deck')",
    "draw('deck', 'pile'), draw('pile', 'deck')",
    "shuffle([0, 1])",
    "show(cards(g, 'deck'))",
    "look(cards(g, 'deck'), me)",
    "say('a' * 200)",
    "mark(1, 'a', 1)",
    "mark(1, 'a', 0)",
    "put('round', None, 1)",
    "add('points', me, 1)",
    "then('nothing')",
    "then('reads')",
    "then('works')",
)
FILE = """
RULES = {{"name": "worst", "edition": 1, "seats": 2, "decks": "shared"}}
REGIONS = [region("deck", "one"), region("hand", "each", see = "owner"), region("pile", "one")] + [
    region("r%d" % n, "each") for n in range({regions})]
ACTIONS = [action("go")]
COUNTERS = {{"points": "each", "round": "one"}}
CARDS = [{{"name": "c%d" % n, "n": n}} for n in range({cards})]
{top}
def statement(n):
 x = 5
 y = 0
 for i in range(n):
  {statement}
def start(g): return [draw("deck", "hand", s, 2) for s in range(2)] + [mark(n, "m", 1) for n in range({marks})]
def legal(g, me, act): return True
def apply(g, me, act): return [{effects}] * {times}
def nothing(g): return []
def reads(g): return [] if [f for f in g["faces"] if f] else []
def works(g): return statement({work}) or []
def winner(g): return None
{judge}
"""


def worst_rule_files(seconds: float, rng: Random, base: float) -> Iterator[Worst]:
    """Search for `seconds`; `base` milliseconds are added to every entry."""
    ordinary = base + median(_ordinary_choices(rng))
    found = Worst("choice by a rule file", ordinary, ordinary, "")
    left = seconds * 1000
    while left > 0:
        values = _values(rng)
        took = _dearest(values)
        left -= took.spent
        if took.worst + base > found.worst:
            found = found._replace(worst=took.worst + base, what=took.what)
    yield found


class Dearest(NamedTuple):
    """Dearest action of a template that is taken, and the time that finding it took."""

    what: str = ""
    worst: float = 0.0
    spent: float = 0.0


def _values(rng: Random) -> dict[str, object]:
    top, statement = rng.choice(tuple(CONSTRUCTS.values()))
    return {
        "regions": rng.choice((0, 0, 1, 50)),
        "cards": rng.choice((8, 52, 200, 358)),
        "marks": rng.choice((0, 0, 8)),
        "top": top.replace(" g(", " called("),
        "statement": statement.replace("g(", "called("),
        "effects": ", ".join(rng.sample(EFFECTS, rng.choice((1, 1, 2, 3)))),
        "work": rng.choice((1, 4, 16, 64)),
        "judge": rng.choice(("", "def judge(g, me, act, hand): return True")),
    }


def _dearest(values: dict[str, object]) -> Dearest:
    found = Dearest()
    times = 1
    while times <= MOST_TIMES:
        took, taken = _time_of_go(FILE.format(times=times, **values))
        found = found._replace(spent=found.spent + REPEATS * took)
        if not taken:
            break
        if took > found.worst:
            found = found._replace(worst=took, what=f"{times} times {values}")
        times = times * 2 if times < 8 else times * 5 // 4
    return found


def _time_of_go(text: str) -> tuple[float, bool]:
    """Milliseconds of the action, and whether it is taken. An action that ends the
    match by an error counts as refused: nobody can repeat it.
    """
    match = ClearTable(script(text), 3, texts=text)
    if match.onward() is None:
        return NOTHING, False
    try:
        match.game.check(match.state, 0, GO)
    except Refused:
        return NOTHING, False
    if match.game.apply(match.state, 0, GO).error is not None:
        return NOTHING, False
    return milliseconds(partial(_post, match, 0, GO)), True


def _ordinary_choices(rng: Random) -> list[float]:
    """Milliseconds of the choices in the supplied games."""
    found = []
    for name, seats in ORDINARY.items():
        match = ClearTable(script(name, seats), rng.randrange(1000))
        while (want := match.onward()) is not None:
            action = match.rng.choice(match.choices(want.seats[0]))
            found.append(milliseconds(partial(_post, match, want.seats[0], action)))
            match.post(want.seats[0], action)
    return found


def _post(match: ClearTable, seat: int, action: Action) -> None:
    match.state.trial.clear()
    match.game.check(match.state, seat, action)
    match.game.apply(match.state, seat, action)
