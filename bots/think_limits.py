"""Bots that look ahead: which there are, how much each may think, and for how long. How they do it:
`search.bots`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import monotonic

from bots.pace import ThinkTime
from protocol.limits import BOT_GAMES, BOT_NODES, BOT_SOLVER_NODES
from search import SearchEffort, never_stop

ABOUT = {  # keys of the catalogue: how each plays
    "search": "help.bot.search",
    "mcts": "help.bot.mcts",
    "perfect": "help.bot.perfect",
}


@dataclass(frozen=True)
class SearchStrength:
    """How much a bot may think about a move. `stop` is asked all the while: True ends it, with the
    best it has.
    """

    nodes: int | None = None  # for a move; None: as many as usual
    games: int = BOT_GAMES
    stop: Callable[[], bool] = never_stop

    def search_effort(self, rng: Random) -> SearchEffort:
        """The same for a search."""
        return SearchEffort(
            self.nodes or BOT_NODES, self.stop, games=self.games, seed=rng.getrandbits(32)
        )

    def split_nodes(self) -> tuple[int, int]:
        """Nodes for a game's own solver, and for the search that has to do should those not
        suffice.
        """
        if self.nodes is None:
            return BOT_SOLVER_NODES, BOT_NODES
        return (self.nodes + 1) // 2, self.nodes // 2


@dataclass
class ThinkDeadline:
    """How long a bot may think: not after its program has ended, nor for a turn until that is
    over.
    """

    pace: ThinkTime = field(
        default_factory=ThinkTime
    )  # what a move takes at least, if its turn has it
    deadline: float = inf  # by `clock`
    has_ended: bool = False
    clock: Callable[[], float] = monotonic  # seconds

    def is_over(self) -> bool:
        """A `SearchStrength.stop`."""
        return self.has_ended or self.clock() >= self.deadline
