"""Bots that look ahead: their names, and limits of their effort and time. `search.bots` has the
bots themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from bots.pace import ThinkTime
from protocol.limits import BOT_GAMES, BOT_NODES, BOT_SOLVER_NODES

ABOUT = {  # keys of the catalogue: how each plays
    "search": "help.bot.search",
    "mcts": "help.bot.mcts",
    "perfect": "help.bot.perfect",
}


def never_stop() -> bool:
    """Return False: a `SearchStrength.stop` without an end."""
    return False


@dataclass(frozen=True)
class SearchStrength:
    """Limits of a bot's effort for one move. The bot calls `stop` continually; when it returns
    True, the bot plays the best move found so far.
    """

    nodes: int | None = None  # nodes per move; None: the default
    games: int = BOT_GAMES
    stop: Callable[[], bool] = never_stop

    def split_nodes(self) -> tuple[int, int]:
        """Return the nodes for a game's own solver, and the nodes for the search if the solver does
        not finish.
        """
        if self.nodes is None:
            return BOT_SOLVER_NODES, BOT_NODES
        return (self.nodes + 1) // 2, self.nodes // 2


@dataclass
class ThinkDeadline:
    """Limit of a bot's time: it stops thinking when its program ends, or when its turn is over."""

    # Least time for a move, if the turn is long enough.
    pace: ThinkTime = field(default_factory=ThinkTime)
    deadline: float = inf  # time of `clock` at which the turn is over
    has_ended: bool = False
    clock: Callable[[], float] = monotonic  # returns the time in seconds

    def is_over(self) -> bool:
        """Check whether time is up. Suitable as `SearchStrength.stop`."""
        return self.has_ended or self.clock() >= self.deadline
