"""Random rule files with functions of any cost: no honest seat is named, or refused an offer."""

from random import Random

import pytest

from tests.support.hostile_rules import WORK
from tests.support.scripts import ClearTable, script

COSTS = (0, 0, 0, 100, 1000, 3000, 5000, 7000, 7800, 9000, 11_500, 11_900, 12_500)
ACTS = (
    'action("play", card = "hand", face = "up")',
    'action("play", card = "hand", face = "up", choice = ["a", "b", "c"])',
    'action("go")',
    'action("go", choice = ["a", "b", "c"])',
    'action("hide", card = "hand", face = "down")',
    'action("peek", card = "deck", face = "up")',
)
IF_ACT = (
    'act["name"] == "go"',
    'act["name"] == "play"',
    'act.get("choice") != "b"',
    "me == 0",
    'len(cards(g, "hand", me)) > 1',
    'act.get("face", {}).get("n", 0) > 3',
    'act.get("card", 9) % 2',
    "True",
)
IF_TABLE = (
    'g["turns"] % 2',
    'g["turns"] > 4',
    'len(cards(g, "pile")) > 2',
    'g["counters"]["round"] > 2',
)
EFFECTS = (
    'put("round", None, 1)',
    'move_all("pile", "deck")',
    'shuffle("deck")',
    'show(cards(g, "deck")[:1])',
    'look(cards(g, "deck")[:1], g["turn"])',
    'toss(2, "landed")',
    'then("more")',
    'take("deck", "hand", g["turn"], "fits")',
)
HEAD = """
RULES = {"name": "random", "edition": 1, "seats": [2, 3], "decks": "shared"}
REGIONS = [
    region("deck", "one"), region("hand", "each", see = "owner", order = "hand"), region("pile", "one", see = "all"),
]
COUNTERS = {"round": "one"}
CARDS = [{"name": "c%d" % n, "n": n} for n in range(12)]
def start(g):
    hands = [draw("deck", "hand", s, 3) for s in range(g["seats"])]
    return [shuffle("deck")] + hands + [look(cards(g, "deck")[:2], 0)]
def winner(g): return [0] if g["turns"] > 8 else None
"""


def rules(rng: Random) -> str:
    def work(conditions):
        return (
            f"(work({rng.choice(COSTS)}) if {rng.choice(conditions)} else "
            f"work({rng.choice(COSTS)}))"
        )

    def effects(most):
        return f"[{', '.join(rng.choices(EFFECTS[:most], k=rng.randrange(4)))}]"

    acts = rng.sample(ACTS, len(ACTS))
    kinds = {act.split('"')[1]: act for act in acts[: rng.randint(1, 4)]}
    moved = '[move(act["card"], "pile")] if "card" in act else []'
    every = {
        "more(g)": f"{work(IF_TABLE)} or {effects(5)}",
        "landed(g, value)": f"{work(IF_TABLE)} or {effects(5)}",
        "fits(g, me, face)": f'work({rng.choice(COSTS)}) == None and face["n"] % 2',
        "legal(g, me, act)": f"{work(IF_ACT)} == None and {rng.choice(('True', rng.choice(IF_ACT)))}",
        "apply(g, me, act)": f"{work(IF_ACT)} or ({moved}) + {effects(8)} + [end_turn()]",
    }
    may = {
        "judge(g, me, act, hand)": f"{work(IF_ACT)} == None and {rng.choice(IF_ACT)}",
        "to_act(g)": '[s for s in range(g["seats"]) if s not in g["out"]]',
        "lapsed(g, me)": f"{work(IF_TABLE)} or [end_turn()]",
        "turn_begins(g, me)": f"{work(IF_TABLE)} or {effects(5)}",
        "turn_ends(g, me)": f"{work(IF_TABLE)} or []",
    }
    every |= {name: body for name, body in may.items() if rng.random() < 0.4}
    functions = "".join(f"def {name}: return {body}\n" for name, body in every.items())
    return f"{HEAD}ACTIONS = [{', '.join(kinds.values())}]\n{functions}{WORK}"


@pytest.mark.match
@pytest.mark.parametrize("share", range(4))
def test_random_costly_files_name_nobody(share):
    for seed in range(share, 80, 4):
        rng = Random(seed)
        text = rules(rng)
        found = ClearTable(script(text, rng.choice((2, 3))), seed, texts=text)
        for _ in range(40):
            want = found.onward()
            if want is None:
                break
            seat = rng.choice(want.seats)
            choices = found.choices(seat)
            for action in choices:
                found.game.check(found.state, seat, found.game.parse(list(action)))
            found.post(seat, rng.choice(choices))
            assert found.state.spent <= found.state.most or found.state.error
        assert not found.misplays, text
