"""What a search has looked at, counted as it goes; and the end of what it may look at."""

from protocol.limits import MAX_SEARCH_PLIES, SEARCH_STOP_NODES
from search import SearchCounts, SearchEffort


class NodeBudgetSpent(Exception):
    """The search has looked at all that it may, or was told to stop."""


class NodeBudget:
    """The counts of one search. `count` raises Spent as soon as one node more would be too many."""

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
        self.horizons = 0  # values taken that a deeper search may change
        # moves ahead
        self.horizon = (
            MAX_SEARCH_PLIES if effort.depth is None else min(effort.depth, MAX_SEARCH_PLIES)
        )
        self._effort = effort
        self._pause = 0  # nodes after which there is something to look after

    def count(self, ply: int) -> None:
        """One node more, so many moves from the root. Raises: Spent."""
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
        """As they stand."""
        return SearchCounts(self.nodes, self.leaves, self.cuts, self.hits, self.depth)
