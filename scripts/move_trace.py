"""Count the code that one move runs through: from the answer of a bot until the program of the other
player hears of it. Table and players run in this process.
"""

import asyncio
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple

from bots.random_bot import random_bot
from player.client import events
from protocol.games import Action
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import KEY_SIZE, Identity
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import OptionList, Selection
from protocol.view.view import View
from scripts.measure_structure import PACKAGES, ROOT
from table.config import Config
from table.manager.server import TableServer
from tests.support.play import play

GAMES: dict[str, OptionList] = {"block-dominoes": (("target", 1),), "nim": ()}


class MoveCost(NamedTuple):
    """Code of the product that one move entered."""

    files: int
    functions: int


class MoveTrace:
    """The functions of the product that are entered while a move is under way, in all threads."""

    def __init__(self) -> None:
        self.costs: list[MoveCost] = []
        self._roots = tuple(f"{ROOT / package}/" for package in PACKAGES)
        self._entered: set[tuple[str, str]] = set()
        self._under_way = False

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        """Note a call, as `sys.setprofile` wants it. Comprehensions and lambdas do not count."""
        if not self._under_way or event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(self._roots) and not code.co_name.startswith("<"):
            self._entered.add((code.co_filename, code.co_qualname))

    def choose(self, view: View, rng: Random) -> Action:
        """Choose as a bot does. The move begins here."""
        action = random_bot(view, rng)
        self._entered.clear()
        self._under_way = True
        return action

    def hear(self, event: events.Event) -> None:
        """Hear the events of the other player. The move ends with its event."""
        if self._under_way and isinstance(event, events.Happened) and event.entry.kind == "move":
            self._under_way = False
            files = {file for file, _ in self._entered}
            self.costs.append(MoveCost(len(files), len(self._entered)))


async def trace_match(game: str, options: OptionList) -> MoveCost:
    """Play a match of two bots, and return the median cost of the moves of one of them."""
    trace = MoveTrace()
    dealing = Selection(BUILT_IN.specs[game].dealing.name)
    terms = make_terms(Selection(game, options), dealing, Allowance().options(), 2)
    threading.setprofile(trace.profile)
    sys.setprofile(trace.profile)
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with TableServer(
                Config(Path(folder), port=0, terms=terms, rng=Random(7))
            ) as table:
                ann = Identity(bytes(KEY_SIZE))
                bob = Identity(bytes([1] * KEY_SIZE))
                await asyncio.gather(
                    play(table.link, ann, "Ann", trace.choose, rng=Random(1)),
                    play(table.link, bob, "Bob", random_bot, rng=Random(2), on_event=trace.hear),
                )
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return MoveCost(*(int(statistics.median(counts)) for counts in zip(*trace.costs, strict=True)))


def move_rows() -> list[tuple[str, str]]:
    """Return a row with the cost of a move for each game."""
    rows = []
    for game, options in GAMES.items():
        cost = asyncio.run(trace_match(game, options))
        rows.append((f"one move at {game}: files / functions", f"{cost.files} / {cost.functions}"))
    return rows
