"""Random rule files of strangers, and random play against a protocol, for campaigns."""

from contextlib import suppress
from random import Random

from protocol.errors import Refused
from protocol.games import Action
from tests.support.hostile_rules import WORK
from tests.support.intruding import hostile_moves, hostile_protocol
from verification.game.rules import Intruder
from verification.game.state import IntruderState

FILE = """\
RULES = {{"name": "stranger", "edition": 1, "seats": [2, 3], "decks": "shared", "turns": "{turns}"}}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"),
    region("pile", "one", see = "all"), region("row", "each", see = "{see}"),
]
ACTIONS = [
    action("lay", card = "hand", face = "{face}"), action("go"), action("call", choice = ["odd", "even"]),
]
COUNTERS = {{"points": "each", "round": "one"}}
CARDS = [{{"name": "c%d" % n, "n": n}} for n in range({cards})]
def start(g):
    return [shuffle("deck")] + [draw("deck", "hand", s, {hand}) for s in range(g["seats"])]
def legal(g, me, act): return act["name"] == "go" or ({legal})
def apply(g, me, act):
    if g["counters"]["round"] > 30: return [end_turn()]
    found = [add("round", None, 1)] + {effects}
    if act["name"] == "lay": found = found + [move(act["card"], "{to}"{seat})]
    return found + ([end_turn()] if g["counters"]["round"] % {every} == 0 else [])
def winner(g): return {winner} if g["turns"] > 8 or g["counters"]["round"] > 30 else None
def heads(g, value): return [add("points", value % g["seats"], 1)]
def fits(g, me, face): return face["n"] % 2 == 0
"""
QUESTIONS = (
    "True",
    "act['name'] == 'lay'",
    "len(g['out']) == 0",
    "g['turns'] % 2 == me % 2",
    "not [f for f in g['faces'] if f]",
    "act['name'] == 'call' or g['counters']['round'] % 3 > 0",
    "work(4000) == None",
    "act['face']['n'] > 3",
)
EFFECTS = (
    "[]",
    "[say('a' * 150)] * 20",
    "[mark(n % 8, 'm%d' % (g['counters']['round'] % 9), 1) for n in range(20)]",
    "[toss(3, 'heads')]",
    "[ask([s for s in range(g['seats'])], ['go', 'call'])] + [say('b')] * 60",
    "[ask([me], ['go'])]",
    "[take('deck', 'row', me, 'fits')]",
    "[take('deck', 'row', me)]",
    "[look(cards(g, 'deck'), me), shuffle('deck')]",
    "[show(cards(g, 'deck')[0])]",
    "[then('nothing')] * 15",
    "[then('burn')] * 3",
    "[shuffle(cards(g, 'hand', me))]",
    "[move_all('pile', 'deck'), shuffle('deck')]",
    "[draw('deck', 'hand', me, 1 if cards(g, 'deck') else 0)]",
    "[put('points', me, g['turns'] % 7)]",
)
MORE = (
    "def judge(g, me, act, hand): return {}\n",
    "def to_act(g): return [s for s in range(g['seats']) if s not in g['out']]\n",
    "def lapsed(g, me): return [end_turn()]\n",
    "def left(g, seat): return [add('round', None, 1)]\n",
    "def turn_begins(g, me): return {effects}\n",
    "def turn_ends(g, me): return [then('nothing')]\n",
)


def strange_rules(rng: Random) -> str:
    """Make a random rule file that can be read. Many fail in a match, or cost too much."""
    text = FILE.format(
        turns=rng.choice(("free", "alternate")),
        see=rng.choice(("owner", "all", "nobody")),
        face=rng.choice(("up", "up", "down")),
        cards=rng.choice((10, 16)),
        hand=rng.choice((2, 3)),
        legal=rng.choice(QUESTIONS),
        effects=" + ".join(rng.sample(EFFECTS, rng.choice((1, 1, 2)))),
        to=(to := rng.choice(("pile", "row"))),
        seat=", me" if to == "row" else "",
        every=rng.choice((1, 1, 2, 3)),
        winner=rng.choice(("[0]", "[]", "[s for s in range(g['seats'])]", "g['turn']")),
    )
    more = [one for one in MORE if rng.random() < 0.4]
    filled = [
        one.replace("{}", rng.choice(QUESTIONS)).replace("{effects}", rng.choice(EFFECTS))
        for one in more
    ]
    return text + WORK + "".join(filled)


def strange_move(
    game: Intruder, state: IntruderState, offered: tuple[Action, ...], rng: Random, sessions: int
) -> Action:
    """Return a hostile protocol or message that is taken; otherwise one of the offered moves."""
    scenario = game.scenario(state)
    move: Action | None = None
    if scenario is None:
        move = ("protocol", hostile_protocol(rng, sessions))
    elif rng.random() < 0.7:
        moves = hostile_moves(rng, scenario, state, 1)
        with suppress(StopIteration):
            move = next(moves)
            while move[0] == "run":
                move = moves.send(state)
    if move is not None:
        with suppress(Refused):
            game.check(state, 0, move)
            return move
    return rng.choice(offered)
