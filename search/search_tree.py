"""What a search looks at, written down from outside: it asks the rules for moves and positions, and
these remember.

So no algorithm knows of it. Moves that it was offered and never asked for are the branches that it
has cut.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from protocol.games import Action
from search import LOSS, WIN
from search.search_game import SearchGame, State

# a seat and a position's key -> what it is worth at least, and at most
_Known = dict[Hashable, tuple[float, float]]


@dataclass
class TreeNode:
    """A position as the search came to it. Its value lies from `low` to `high`, for the seat to
    move (at the end: for the one that has not moved last)."""

    state: State
    seat: int
    move: Action | None  # that led here
    # that it could choose from; None: it was not asked for any
    moves: tuple[Action, ...] | None = None
    children: list["TreeNode"] = field(default_factory=list)  # as they were looked at
    guess: float | None = None
    over: bool = False
    low: float = LOSS
    high: float = WIN

    @property
    def cut(self) -> tuple[Action, ...]:
        """The moves that were not looked at."""
        tried = {child.move for child in self.children}
        return tuple(move for move in self.moves or () if move not in tried)

    @property
    def from_table(self) -> bool:
        """Whether the search knew it already."""
        return self.moves is None and self.guess is None and not self.over

    def size(self) -> int:
        """Nodes from here down."""
        return 1 + sum(child.size() for child in self.children)


class TreeRecorder:
    """One search. What is looked at again, deeper, is written down anew."""

    def __init__(self, rules: SearchGame, state: State, seat: int) -> None:
        self._rules = rules
        self.root = TreeNode(state, seat, None)
        self._nodes = {id(state): self.root}  # states stay alive in their nodes
        self._lasting: _Known = {}  # what rests on no guess, and so holds in a deeper search too
        self.rules = replace(rules, moves=self._moves, child=self._child, guess=self._guess)

    def _moves(self, state: State, seat: int) -> Sequence[Action]:
        found = self._rules.moves(state, seat)
        node = self._nodes.get(id(state))
        # it begins anew, and may know some of this from its table
        if node is self.root and node.children:
            _judge(self._rules, node, dict(self._lasting), self._lasting)
        if node is not None:
            node.moves, node.children, node.guess = tuple(found), [], None
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

    def judged(self) -> TreeNode:
        """The root, with what is known of the value of every node."""
        _judge(self._rules, self.root, dict(self._lasting), self._lasting)
        return self.root


def _judge(rules: SearchGame, node: TreeNode, known: _Known, lasting: _Known) -> bool:
    """Find the values from here down, in the order in which the search did; whether this one rests
    on no guess.
    """
    sure = [_judge(rules, child, known, lasting) for child in node.children]
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
        node.high = WIN if node.cut else max(high for _, high in below)
    elif node.guess is not None:
        node.low = node.high = node.guess
        return False
    else:
        mirrored = (node.seat, rules.key(rules.mirror(node.state))) if rules.mirror else key
        found = next((one for one in (key, mirrored) if one in known), None)
        node.low, node.high = (LOSS, WIN) if found is None else known[found]
        return found in lasting
    known[key] = node.low, node.high
    if all(sure) or node.low == WIN or node.high == LOSS:
        lasting[key] = known[key]
        return True
    return False
