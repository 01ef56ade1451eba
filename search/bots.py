"""Bots that look ahead, for every game of two seats without hidden pieces. In other games they play
like `random`.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from bots.bot_view import OpenView
from bots.random_bot import random_bot
from bots.think_limits import SearchStrength
from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.spec import PositionSolver
from protocol.limits import BOT_NODES
from protocol.view.view import View
from search import SearchEffort, SearchResult, ValueKind
from search.algorithms import ALGORITHMS
from search.search_game import SearchGame, search_game


def thinking_bot(
    name: str, strength: SearchStrength, solver: PositionSolver | None = None
) -> Callable[[View, Random], Action]:
    """Make the bot `name`. `solver` is the game's own solver, if the game has one."""

    def play(view: View, rng: Random) -> Action:
        if not isinstance(view, OpenView):
            return random_bot(view, rng)
        try:
            rules = search_game(view.position.game, solver)
            chosen = _result(name, rules, view, strength, search_effort(strength, rng)).best
        except LocalError:  # one seat, three seats, or simultaneous play
            return random_bot(view, rng)
        return random_bot(view, rng) if chosen is None else chosen

    return play


def search_effort(strength: SearchStrength, rng: Random) -> SearchEffort:
    """Convert the strength of a bot into the limits of one search, with a new seed."""
    return SearchEffort(
        strength.nodes or BOT_NODES, strength.stop, games=strength.games, seed=rng.getrandbits(32)
    )


def _result(
    name: str, rules: SearchGame, view: OpenView, strength: SearchStrength, effort: SearchEffort
) -> SearchResult:
    state = view.position.state
    if name == "perfect" and ALGORITHMS["perfect"].fits(rules):
        for_solver, for_search = strength.split_nodes()
        found = ALGORITHMS["perfect"].search(rules, state, replace(effort, nodes=for_solver))
        if found.kind is ValueKind.EXACT and found.best is not None:
            return found
        effort = replace(effort, nodes=for_search)
    return ALGORITHMS["mcts" if name == "mcts" else "scout"].search(rules, state, effort)
