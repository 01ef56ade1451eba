"""Solver of Connect Four: exact scores by search on bit boards, for any size of board.

A score belongs to the seat to move. A score n > 0: this seat wins with its n-th stone from the end
(1: with its last stone). A negative score: the other seat wins. 0: a draw. So a quick win has a
higher score than a slow win.

Sources of null windows, the table of bounds and ordering by threats: P. Pons, "Solving Connect 4:
how to build a perfect AI", 2015; J. D. Allen, 1988.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from protocol.limits import SOLVER_STOP_NODES


class SolverStopped(Exception):
    """All nodes of the budget are used, or `stop` has ended the search."""


def never_stop() -> bool:
    """Return False: a `SolverBudget.stop` without an end."""
    return False


class SolverBudget(NamedTuple):
    """Limits of a search."""

    nodes: int
    stop: Callable[[], bool] = (
        never_stop  # called before the first node and every `SOLVER_STOP_NODES` nodes
    )

    def pause(self, nodes: int) -> int:
        """Return the number of nodes at which to call `pause` again. Raises: SolverStopped."""
        if nodes >= self.nodes or self.stop():
            raise SolverStopped
        return min(nodes + SOLVER_STOP_NODES, self.nodes)


class SolverEngine(Protocol):
    """A search that keeps its table between calls."""

    @property
    def nodes(self) -> int:
        """Number of visited positions, with repetitions."""

    def above(self, own: int, occupied: int, alpha: int) -> int:
        """Compare the score of a position with `alpha`.

        Returns a lower bound above `alpha`, or else an upper bound that is at most `alpha`. The
        seat to move must have no win with its next stone. Raises: SolverStopped.
        """
