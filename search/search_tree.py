"""Recording of the tree that a search visits.

`TreeRecorder` wraps the functions of a game and notes each call. No algorithm needs to know about
the recorder. A move that `moves` returned and `child` never got is a cut branch.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from protocol.games import Action
from search import LOSS, WIN
from search.search_game import SearchGame, State

# (seat, key of a position) -> (lower bound, upper bound) of its value
_Known = dict[Hashable, tuple[float, float]]


@dataclass
class TreeNode:
    """A position of the tree. Its value lies between `low` and `high`.

    The value belongs to the seat to move; in a finished game, to the seat that has not moved last.
    """

    state: State
    seat: int
    move: Action | None  # from the parent
    # Legal moves here. None: the search has not asked for them.
    moves: tuple[Action, ...] | None = None
    children: list["TreeNode"] = field(default_factory=list)  # in the order of the visits
    guess: float | None = None
    over: bool = False
    low: float = LOSS
    high: float = WIN

    @property
    def cut(self) -> tuple[Action, ...]:
        """Moves that the search has skipped."""
        tried = {child.move for child in self.children}
        return tuple(move for move in self.moves or () if move not in tried)

    @property
    def from_table(self) -> bool:
        """True if the search took the value from its table."""
        return self.moves is None and self.guess is None and not self.over

    def size(self) -> int:
        """Number of nodes in this subtree."""
        return 1 + sum(child.size() for child in self.children)


class TreeRecorder:
    """Recorder of one search. A node that the search expands again, to more depth, is recorded
    anew.
    """

    def __init__(self, rules: SearchGame, state: State, seat: int) -> None:
        self._rules = rules
        self.root = TreeNode(state, seat, None)
        # the nodes keep their states alive, so no id is used twice
        self._nodes = {id(state): self.root}
        # bounds that rest on no guess, and so stay valid in a deeper search
        self._lasting: _Known = {}
        self.rules = replace(rules, moves=self._moves, child=self._child, guess=self._guess)

    def _moves(self, state: State, seat: int) -> Sequence[Action]:
        found = self._rules.moves(state, seat)
        node = self._nodes.get(id(state))
        # A new iteration begins. It may take some values from the table of the iteration before.
        if node is self.root and node.children:
            _compute_bounds(self._rules, node, dict(self._lasting), self._lasting)
        if node is not None:
            node.moves = tuple(found)
            node.children = []
            node.guess = None
        return found

    def _child(self, state: State, seat: int, move: Action) -> State:
        after = self._rules.child(state, seat, move)
        parent = self._nodes.get(id(state))
        if (
            parent is not None
            and parent.moves is not None
            and all(child.move != move for child in parent.children)
        ):
            mover = self._rules.turn(after)
            node = TreeNode(after, 1 - seat if mover is None else mover, move, over=mover is None)
            parent.children.append(node)
            self._nodes[id(after)] = node
        return after

    def _guess(self, state: State, seat: int) -> float:
        found = self._rules.guess(state, seat)
        node = self._nodes.get(id(state))
        if node is not None and not node.children:
            node.guess = found
        return found

    def tree_with_bounds(self) -> TreeNode:
        """Return the root, after all bounds of the tree are computed."""
        _compute_bounds(self._rules, self.root, dict(self._lasting), self._lasting)
        return self.root


def _compute_bounds(rules: SearchGame, node: TreeNode, known: _Known, lasting: _Known) -> bool:
    """Compute the bounds of a subtree in the order of the search. Return True if the value of
    `node` rests on no guess.
    """
    sure = [_compute_bounds(rules, child, known, lasting) for child in node.children]
    key = node.seat, rules.key(node.state)
    if node.over:
        node.low = node.high = rules.result(node.state, node.seat)
        return True
    if node.children:
        below = [
            (child.low, child.high) if child.seat == node.seat else (-child.high, -child.low)
            for child in node.children
        ]
        node.low = max(low for low, _ in below)
        if node.cut:
            node.high = WIN
        else:
            node.high = max(high for _, high in below)
    elif node.guess is not None:
        node.low = node.high = node.guess
        return False
    else:
        if rules.mirror:
            mirrored = (node.seat, rules.key(rules.mirror(node.state)))
        else:
            mirrored = key
        found = next((one for one in (key, mirrored) if one in known), None)
        node.low, node.high = (LOSS, WIN) if found is None else known[found]
        return found in lasting
    known[key] = node.low, node.high
    if all(sure) or node.low == WIN or node.high == LOSS:
        lasting[key] = known[key]
        return True
    return False
