"""Counts of a search, and its limit of nodes."""

from protocol.limits import MAX_SEARCH_PLIES, SEARCH_STOP_NODES
from search import SearchCounts, SearchEffort


class NodeBudgetSpent(Exception):
    """All nodes of the budget are used, or `stop` has ended the search."""


class NodeBudget:
    """Counts of one search. `count` raises NodeBudgetSpent before a node that exceeds the
    budget.
    """

    __slots__ = (
        "_effort",
        "_pause",
        "cuts",
        "depth",
        "hits",
        "horizon",
        "horizons",
        "leaves",
        "nodes",
    )

    def __init__(self, effort: SearchEffort) -> None:
        self.nodes = self.leaves = self.cuts = self.hits = self.depth = 0
        self.horizons = 0  # guesses used, which a deeper search may change
        # Most moves ahead.
        if effort.depth is None:
            self.horizon = MAX_SEARCH_PLIES
        else:
            self.horizon = min(effort.depth, MAX_SEARCH_PLIES)
        self._effort = effort
        self._pause = 0  # number of nodes at which to check the budget and `stop`

    def count(self, ply: int) -> None:
        """Count a node that is `ply` moves from the root. Raises: NodeBudgetSpent."""
        if self.nodes >= self._pause:
            self._look()
        self.nodes += 1
        if ply > self.depth:
            self.depth = ply

    def _look(self) -> None:
        if self.nodes >= self._effort.nodes or self._effort.stop():
            raise NodeBudgetSpent
        self._pause = min(self.nodes + SEARCH_STOP_NODES, self._effort.nodes)

    def counts(self) -> SearchCounts:
        return SearchCounts(self.nodes, self.leaves, self.cuts, self.hits, self.depth)
