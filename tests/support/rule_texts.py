"""A small game by a rule file, to which tests add texts for players."""

GAME = """\
RULES = {"name": "small", "edition": 1, "seats": 2, "decks": "shared", "turns": "free"}
REGIONS = [
    region("deck", "one"), region("pile", "one", see = "all"),
    region("hand", "each", see = "owner", order = "hand"),
    region("secret", "each", see = "owner", order = "row"),
]
ACTIONS = [action("lay", card = "hand", face = "up"), action("hide", card = "hand", face = "down"),
           action("end", choice = ["red", "blue"])]
COUNTERS = {"n": "one", "points": "each"}
CARDS = [{"name": "card %d" % r, "rank": r} for r in range(12)]
def start(g): return [shuffle("deck")] + [draw("deck", "hand", s, 3) for s in (0, 1)] + [say("begin")]
def legal(g, me, act): return True
def apply(g, me, act):
    n = g["counters"]["n"]
    if act["name"] == "end": return [say("seat %d ends in %s after %d" % (me + 1, act["choice"], n)), end_turn()]
    if act["name"] == "lay": return [move(act["card"], "pile"), add("n", None, 1), add("points", me, 1)]
    return [move(act["card"], "secret", me)]
def winner(g): return [0] if g["turns"] > 3 else None
"""
ACTIONS = (
    '{"en": {"actions": {"lay": {"offer": "Lay {card}", "told": "{seat} lays {card}."}, '
    '"hide": {"offer": "Hide {card}", "told": "{seat} hides a card."}, '
    '"end": {"offer": "End in {choice}", "told": "{seat} ends."}}}}'
)


def file_with(texts: str = "") -> str:
    """Return the game with more constants, each on one line."""
    return GAME + texts
