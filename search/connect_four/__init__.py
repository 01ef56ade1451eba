"""Connect Four solved: exact scores by search on bit-boards, for any board, within as many nodes as
one may spend.

A score is for the seat to move: n > 0, it wins with its n-th stone from the end (1: with its last);
n < 0, the other does; 0, a draw. So quick wins are better than slow ones. The ideas are published
(null windows, a table of bounds, moves that make most threats first: P. Pons, "Solving Connect 4:
how to build a perfect AI", 2015; J. D. Allen, 1988).
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from protocol.limits import SOLVER_STOP_NODES


class SolverStopped(Exception):
    """All nodes that may be looked at have been, or the search was told to stop."""


def never_stop() -> bool:
    """Nobody asks for an end."""
    return False


class SolverBudget(NamedTuple):
    """What a search may cost."""

    nodes: int
    stop: Callable[[], bool] = (
        never_stop  # asked before the first node and every `SOLVER_STOP_NODES`
    )

    def pause(self, nodes: int) -> int:
        """The count of nodes at which to ask again, after so many. Raises: Spent."""
        if nodes >= self.nodes or self.stop():
            raise SolverStopped
        return min(nodes + SOLVER_STOP_NODES, self.nodes)


class SolverEngine(Protocol):
    """A search with a table, which it keeps from one question to the next."""

    @property
    def nodes(self) -> int:
        """Positions looked at so far, as often as they were."""

    def above(self, own: int, occupied: int, alpha: int) -> int:
        """Whether a position is worth more than `alpha`: then a number above it that it is worth at
        least.

        Else a number up to `alpha` that it is worth at most. Nobody may be able to win with the
        next stone. Raises: Spent.
        """
