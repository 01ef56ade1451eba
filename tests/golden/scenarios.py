"""Scenarios: every game over every suitable dealing, with special events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bots.registry import BOTS
from protocol.codes import Code
from protocol.view.view import View
from tests.adversary.cheats import draws, layers, play, table
from tests.adversary.cheats.verified import shuffles
from tests.adversary.cheats.verified.base import flipped, simple
from tests.support.views import legal_in

Options = Mapping[str, int | str]
SHARED = {"leavers": "threshold"}
FIVES_PAIRS = {"partners": "yes", "scoring": "fives", "target": 25}
NO_KEY = simple(
    "NoKey",
    "commit",
    Code.BAD_KEY_OPENING,
    lambda body: [flipped(body[0])],
    "Commits to no key at all.",
)


def restless_bot(view: View, rng: Any) -> Any:
    """Poker bot: call, exchange as much as possible, and show."""
    legal = legal_in(view)
    return ("call",) if ("call",) in legal else max(legal, key=len)


def busy_bot(view: View, rng: Any) -> Any:
    """Bot for the intruder: begin strands and carry messages as long as possible."""
    sends = [action for action in legal_in(view) if action[0] == "send"]
    begins = [action for action in legal_in(view) if action[0] == "run"]
    return rng.choice(sends or begins or [("stop",)])


@dataclass(frozen=True)
class Scenario:
    """A match. `happens` maps moments to events, as in {"move 5": ("leaves", 1)}."""

    name: str
    game: str
    dealing: str
    seats: int
    options: Options
    dealing_options: Options = field(default_factory=dict)
    table: bool = True
    happens: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    # seat -> class of a cheating seat
    cheats: Mapping[int, Any] = field(default_factory=dict)
    cheating_table: Any = None  # class of a cheating table
    bots: tuple[str, ...] = ("greedy", "random")
    button: int = 1  # seat with the first button, or the first seat
    seed: int = 1

    def bot_of(self, seat: int) -> str:
        """Return the name of the bot for a seat."""
        return self.bots[seat % len(self.bots)]


PLAYERS = BOTS | {"restless": restless_bot, "busy": busy_bot}


def _dominoes(name: str, dealing: str, seats: int, seed: int = 1, **more: Any) -> Scenario:
    """Make a scenario of block or draw dominoes with small hands, about two hands long."""
    options = {"hand": 4 if name.startswith("block") else 3, "target": 12} | more.pop("options", {})
    game = f"{name.split()[0]}-dominoes"
    return Scenario(name, game, dealing, seats, options, seed=seed, **more)


def _poker(name: str, dealing: str, seats: int, seed: int = 1, **more: Any) -> Scenario:
    """Make a scenario of two hands with small stacks."""
    options = {"hands": 2, "stack": 40} | more.pop("options", {})
    game = "texas-holdem" if name.startswith("holdem") else "five-card-draw"
    return Scenario(
        name, game, dealing, seats, options, seed=seed, **({"bots": ("sensible", "random")} | more)
    )


def _race(name: str, seats: int, seed: int = 1, **more: Any) -> Scenario:
    """Make a scenario of one or two rounds of Ligretto. Every seat has always seen everything, so
    nothing is late.
    """
    options = {"rounds": 1} | more.pop("options", {})
    return Scenario(
        name,
        "ligretto",
        "verified",
        seats,
        options,
        SHARED,
        seed=seed,
        **({"bots": ("ligretto",)} | more),
    )


def _open(name: str, seed: int = 1, **more: Any) -> Scenario:
    """Make a scenario of a game for two without hidden pieces."""
    options = more.pop("options", {})
    return Scenario(
        name, name.split()[0], "none", 2, options, seed=seed, **({"bots": ("random",)} | more)
    )


WHOLE = [
    *(
        _dominoes(f"{kind} {dealing}", dealing, seats, seed)
        for kind in ("block", "draw")
        for dealing, seats, seed in (("layered", 3, 1), ("verified", 3, 2), ("commutative", 3, 3))
    ),
    *(
        _dominoes(f"{kind} verified threshold", "verified", 3, 4, dealing_options=SHARED)
        for kind in ("block", "draw")
    ),
    *(
        _dominoes(f"{kind} {dealing} no table", dealing, 2, 5, table=False)
        for kind in ("block", "draw")
        for dealing in ("verified", "commutative")
    ),
    _poker("five-card-draw reshuffled", "verified", 6, 1, options={"hands": 1}, bots=("restless",)),
    _dominoes("draw layered more hands", "layered", 2, 8, options={"target": 30}),
    _dominoes("draw commutative more hands", "commutative", 2, 9, options={"target": 30}),
    _dominoes(
        "block verified threshold more hands",
        "verified",
        3,
        10,
        options={"target": 30},
        dealing_options=SHARED,
    ),
    _dominoes("block layered four seats", "layered", 4, 6, options={"hand": 7, "target": 1}),
    _dominoes("block commutative nines", "commutative", 2, 7, options={"highest": 9, "hand": 9}),
    _dominoes(
        "draw fives",
        "verified",
        2,
        12,
        options={"scoring": "fives", "hand": 5, "target": 30},
        bots=("greedy",),
    ),
    _dominoes(
        "draw spinner",
        "commutative",
        2,
        27,
        options={"scoring": "fives", "hand": 9, "target": 60, "reserve": 2, "length": 1},
        bots=("greedy",),
    ),
    _dominoes("block partners", "commutative", 4, 13, options={"partners": "yes"}),
    _dominoes("block partners fives", "layered", 4, 14, options=FIVES_PAIRS, bots=("greedy",)),
    *(
        _poker(f"{kind} {dealing}", dealing, 3, seed)
        for kind in ("holdem", "five-card-draw")
        for dealing, seed in (("verified", 1), ("commutative", 2))
    ),
    *(
        _poker(f"{kind} verified threshold", "verified", 3, 3, dealing_options=SHARED)
        for kind in ("holdem", "five-card-draw")
    ),
    *(
        _poker(f"{kind} {dealing} no table", dealing, 2, 4, table=False)
        for kind in ("holdem", "five-card-draw")
        for dealing in ("verified", "commutative")
    ),
    _open("matches none", 1),
    _open("matches misere no table", 2, options={"n": 9, "misere": "yes"}, button=0, table=False),
    _open("nim none", 3),
    _open("nim misere", 4, options={"rows": "2-5-2", "misere": "yes"}, button=0),
    _open("hexapawn none", 5),
    Scenario(
        "intruder none",
        "intruder",
        "none",
        1,
        {"protocol": "wide-mouthed-frog"},
        bots=("busy",),
        button=0,
        seed=1,
    ),
    Scenario(
        "intruder no table",
        "intruder",
        "none",
        1,
        {"typed": "no"},
        table=False,
        bots=("busy",),
        button=0,
        seed=3,
    ),
    _open("hexapawn wide no table", 6, options={"width": 5}, button=0, table=False),
    _race("ligretto verified", 2, 6, options={"rescues": 1}),
    _race("ligretto blitz", 2, 6, options={"rescues": 1, "blitz": "yes"}),
    _open("connect-four none", 7),
    _open("connect-four small", 8, options={"width": 4, "height": 4}, button=0),
    _open("connect-four popout", 19, options={"width": 4, "height": 4, "popout": "yes"}, button=0),
]
EVENTS = [
    _dominoes(
        "draw leaver on turn",
        "verified",
        3,
        2,
        dealing_options=SHARED,
        happens={"move 8": ("leaves", 1)},
    ),
    _dominoes(
        "draw leaver in a deal",
        "verified",
        3,
        2,
        dealing_options=SHARED,
        happens={"deal 1": ("leaves", 0)},
    ),
    _dominoes("draw leaver is fatal", "layered", 3, 1, happens={"move 4": ("leaves", 2)}),
    _dominoes(
        "draw leaver while drawing",
        "verified",
        3,
        2,
        dealing_options=SHARED,
        happens={"during 3": ("leaves", 1)},
    ),
    _dominoes(
        "block partner leaves",
        "verified",
        4,
        15,
        options=FIVES_PAIRS,
        dealing_options=SHARED,
        happens={"move 9": ("leaves", 1)},
    ),
    _poker(
        "holdem rebuys and levels",
        "commutative",
        3,
        5,
        options={"stack": 8, "hands": 4, "levels": 1, "rebuys": 1},
    ),
    _poker(
        "holdem fixed limit",
        "commutative",
        3,
        9,
        options={"limit": "fixed", "stack": 30},
        bots=("random",),
    ),
    _poker("five-card-draw fixed limit", "verified", 3, 9, options={"limit": "fixed"}),
    _poker(
        "holdem leaver", "verified", 3, 3, dealing_options=SHARED, happens={"move 3": ("leaves", 2)}
    ),
    _poker(
        "holdem all in and silent",
        "verified",
        3,
        10,
        options={"ante": 40, "hands": 1},
        dealing_options=SHARED,
        happens={"move 1": ("lapses", 0)},
    ),
    _poker(
        "holdem sits out",
        "verified",
        3,
        3,
        happens={"move 3": ("sit_out", 2), "deal 2": ("sit_in", 2)},
    ),
    _dominoes(
        "block turn lapses",
        "layered",
        3,
        1,
        happens={"move 6": ("lapses", 0), "move 7": ("lapses", 0)},
    ),
    _dominoes(
        "block seat sleeps",
        "verified",
        3,
        2,
        dealing_options=SHARED,
        happens={"move 5": ("sleeps", 1)},
    ),
    _poker("five-card-draw turn lapses", "commutative", 3, 2, happens={"move 2": ("lapses", 0)}),
    _dominoes("block false pass", "layered", 3, 1, cheats={1: play.FalsePass}),
    _dominoes("block false denial", "commutative", 3, 3, cheats={1: play.FalseDenial}),
    _dominoes("draw false draw", "verified", 3, 2, cheats={1: play.FalseDraw}),
    _dominoes("block bad layer", "layered", 3, 1, cheats={1: layers.LayerTwice}),
    _dominoes("block bad key", "commutative", 3, 3, cheats={1: NO_KEY}),
    _dominoes("block table deals a tile twice", "layered", 3, 1, cheating_table=table.TileTwice),
    _dominoes("draw table spoils a draw", "layered", 3, 1, cheating_table=table.SpoilsTheTransfer),
    _dominoes("draw bad key protested", "layered", 3, 1, cheats={1: draws.WrongKeyToDrawer}),
    _dominoes("block bad shuffle", "verified", 2, 2, cheats={1: shuffles.DoublesCard}),
    _race(
        "ligretto turn lapses", 2, 3, happens={"move 9": ("lapses", 0), "move 21": ("leaves", 0)}
    ),
    _open("hexapawn leaver", 9, happens={"move 2": ("leaves", 1)}),
    _open("connect-four leaver", 10, happens={"move 3": ("leaves", 0)}),
    _open("nim turn lapses", 11, happens={"move 2": ("lapses", 0)}),
]
SCENARIOS = {scenario.name: scenario for scenario in (*WHOLE, *EVENTS)}
