"""Monte-Carlo tree search: random games, more of them along moves that have done well.

Source: UCT, Kocsis and Szepesvári, 2006.
"""

from collections.abc import Sequence
from math import log, sqrt
from random import Random

from protocol.games import Action
from protocol.limits import MAX_SEARCH_PLIES, SEARCH_STOP_NODES
from search import DRAW, SearchCounts, SearchEffort, SearchResult, ValueKind
from search.iterative_deepening import seat_to_move
from search.search_game import SearchGame, State

# Weight of moves with few visits. The usual √2 is for rewards from 0 to 1; here they are −1 to 1.
EXPLORE = 1.0


class _Node:
    """A position of the tree. `total` is the sum of the results for seat 0."""

    __slots__ = ("children", "move", "seat", "state", "total", "untried", "visits")

    def __init__(
        self, state: State, seat: int | None, move: Action | None, untried: list[Action]
    ) -> None:
        self.state = state
        self.seat = seat
        self.move = move
        self.untried = untried
        self.children: list[_Node] = []
        self.visits = 0
        self.total = 0.0

    def promising(self) -> "_Node":
        """Choose the child for the next game: high mean for the seat to move here, or few
        visits.
        """
        known = EXPLORE * sqrt(log(self.visits))
        sign = 1 if self.seat == 0 else -1
        return max(
            self.children,
            key=lambda child: sign * child.total / child.visits + known / sqrt(child.visits),
        )


class _Search:
    """One search: rules, random source and costs."""

    def __init__(self, rules: SearchGame, seed: int) -> None:
        self._rules = rules
        self._random = Random(seed)  # noqa: S311 - chance of a search, no secret
        self.nodes = self.depth = 0

    def node(self, state: State, move: Action | None) -> _Node:
        """Make a node. Its moves will be tried in random order."""
        self.nodes += 1
        seat = self._rules.turn(state)
        if seat is None:
            untried = []
        else:
            untried = list(self._rules.moves(state, seat))
        self._random.shuffle(untried)
        return _Node(state, seat, move, untried)

    def once(self, root: _Node) -> None:
        """Walk down the tree, add one node, and play a random game from the new node."""
        node = root
        path = [root]
        while not node.untried and node.children:
            node = node.promising()
            path.append(node)
        if node.untried:
            assert node.seat is not None
            move = node.untried.pop()
            node.children.append(self.node(self._rules.child(node.state, node.seat, move), move))
            node = node.children[-1]
            path.append(node)
        self.depth = max(self.depth, len(path) - 1)
        total = self._played(node.state, node.seat)
        for passed in path:
            passed.visits += 1
            passed.total += total

    def _played(self, state: State, seat: int | None) -> float:
        """Play a random game to its end, or to a guess. Return the result for seat 0."""
        rules = self._rules
        random = self._random.random
        turn = rules.turn
        moves = rules.moves
        child = rules.child
        for step in range(MAX_SEARCH_PLIES):
            if seat is None:
                self.nodes += step
                return rules.result(state, 0)
            found: Sequence[Action] = moves(state, seat)
            state = child(state, seat, found[int(random() * len(found))])
            seat = turn(state)
        self.nodes += MAX_SEARCH_PLIES
        return rules.guess(state, 0)


def tree_search(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Play `effort.games` games, and choose the move with most visits. `counts.leaves` is the
    number of games.
    """
    seat = seat_to_move(rules, state)
    search = _Search(rules, effort.seed)
    root = search.node(state, None)
    games = 0
    while games < effort.games and (games % SEARCH_STOP_NODES or not effort.stop()):
        search.once(root)
        games += 1
    moves = []
    node = root
    while node.children:
        node = max(node.children, key=lambda child: child.visits)
        moves.append(node.move or ())
    counts = SearchCounts(search.nodes, games, 0, 0, search.depth)
    if not root.children:
        return SearchResult(DRAW, ValueKind.NONE, (), counts)
    best = max(root.children, key=lambda child: child.visits)
    return SearchResult(
        (1 if seat == 0 else -1) * best.total / best.visits, ValueKind.GUESS, tuple(moves), counts
    )
