"""Bots that look ahead, for every game for two in which nothing is hidden. In any other they play as `random` does."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from time import monotonic

from bots.any_game import random_bot
from bots.pace import Pace
from bots.seen import OpenView
from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.row import Solver
from protocol.limits import BOT_GAMES, BOT_NODES, BOT_SOLVER_NODES
from protocol.search import Effort, Kind, Result, never
from protocol.search.algorithms import ALGORITHMS
from protocol.search.rules import Rules, rules_of
from protocol.view.view import View

ABOUT = {
    "search": "as far ahead as --nodes positions allow, with a guess there; every open game for two",
    "mcts": "--simulations games at random, and what went best; every open game for two",
    "perfect": "never a move that loses what was won, by a formula or a solver, where there is one; else as search",
}


@dataclass(frozen=True)
class Strength:
    """How much a bot may think about a move. `stop` is asked all the while: True ends it, with the best it has."""

    nodes: int | None = None  # for a move; None: as many as usual
    games: int = BOT_GAMES
    stop: Callable[[], bool] = never

    def effort(self, rng: Random) -> Effort:
        """The same for a search."""
        return Effort(self.nodes or BOT_NODES, self.stop, games=self.games, seed=rng.getrandbits(32))

    def shares(self) -> tuple[int, int]:
        """Nodes for a game's own solver, and for the search that has to do should those not suffice."""
        if self.nodes is None:
            return BOT_SOLVER_NODES, BOT_NODES
        return (self.nodes + 1) // 2, self.nodes // 2


@dataclass
class Patience:
    """How long a bot may think: not after its program has ended, nor for a turn until that is over."""

    pace: Pace = field(default_factory=Pace)  # what a move takes at least, if its turn has it
    until: float = inf  # by `clock`
    ended: bool = False
    clock: Callable[[], float] = monotonic  # seconds

    def over(self) -> bool:
        """A `Strength.stop`."""
        return self.ended or self.clock() >= self.until


def thinking_bot(name: str, strength: Strength, solver: Solver | None = None) -> Callable[[View, Random], Action]:
    """The bot of this name. `solver`: the game's own, if it has one."""

    def play(view: View, rng: Random) -> Action:
        if not isinstance(view, OpenView):
            return random_bot(view, rng)
        try:
            rules = rules_of(view.position.game, solver)
            chosen = _result(name, rules, view, strength, strength.effort(rng)).best
        except LocalError:  # one seat, or three; or several may act at once
            return random_bot(view, rng)
        return random_bot(view, rng) if chosen is None else chosen

    return play


def _result(name: str, rules: Rules, view: OpenView, strength: Strength, effort: Effort) -> Result:
    state = view.position.state
    if name == "perfect" and ALGORITHMS["perfect"].fits(rules):
        for_solver, for_search = strength.shares()
        found = ALGORITHMS["perfect"].search(rules, state, replace(effort, nodes=for_solver))
        if found.kind is Kind.EXACT and found.best is not None:
            return found
        effort = replace(effort, nodes=for_search)
    return ALGORITHMS["mcts" if name == "mcts" else "scout"].search(rules, state, effort)
