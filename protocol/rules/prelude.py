"""Prelude: functions that every rule file may use. They construct constants and effects, and read
the state (docs/rules.md).

The prelude is written in the rule language, so that its calls cost the same as all calls.
"""

from functools import cache

from protocol.rules.module import Module, load_module
from protocol.rules.syntax.name_resolution import KnownFunctions
from protocol.rules.syntax.parser import parse_program

PRELUDE = """\
def region(name, owner, see = "nobody", order = "pile", row = 0):
    return {"name": name, "owner": owner, "see": see, "order": order, "row": row}
def action(name, card = None, face = None, target = None, choice = None):
    return {"name": name, "card": card, "face": face, "target": target, "choice": choice}
def shuffle(what, seat = None, by = None): return ["shuffle", what, seat, by]
def draw(source, to, seat = None, count = 1): return ["draw", source, to, seat, count]
def move(what, to, seat = None): return ["move", what, to, seat]
def move_all(source, to, seat = None): return ["move_all", source, to, seat]
def show(what): return ["show", what]
def look(what, seat): return ["look", what, seat]
def take(source, to, seat, fits = None): return ["take", source, to, seat, fits]
def mark(card, name, value): return ["mark", card, name, value]
def add(counter, seat, value): return ["add", counter, seat, value]
def put(counter, seat, value): return ["put", counter, seat, value]
def say(text): return ["say", text]
def toss(sides, then): return ["toss", sides, then]
def then(name): return ["then", name]
def ask(seats, actions): return ["ask", seats, actions]
def end_turn(): return ["end_turn"]
def cards(g, region, seat = None):
    return g["regions"][region] if seat == None else g["regions"][region][seat]
def top(g, region, seat = None, below = 0): return cards(g, region, seat)[-1 - below]
def face(g, card): return g["faces"][card]
def marks(g, card): return g["marks"][card]
"""


@cache
def prelude() -> Module:
    """Return the loaded prelude."""
    return load_module(parse_program(PRELUDE, KnownFunctions()), None)
