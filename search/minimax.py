"""Plain minimax: the full tree, the first-win cut, and a depth limit with guesses."""

from dataclasses import replace

from protocol.limits import SEARCH_DEPTH
from search import WIN, Line, SearchEffort, SearchResult, ValueKind, flatten_line
from search.node_budget import NodeBudget, NodeBudgetSpent
from search.search_game import SearchGame, State


def full_tree(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Visit the whole tree."""
    return _search(rules, state, effort, first_win=False)


def first_win(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Skip the other moves after a winning move: none of them can be better."""
    return _search(rules, state, effort, first_win=True)


def look_ahead(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Run `first_win` to `effort.depth` moves, and guess the values there."""
    depth = SEARCH_DEPTH if effort.depth is None else effort.depth
    return _search(rules, state, replace(effort, depth=depth), first_win=True)


def _search(
    rules: SearchGame, state: State, effort: SearchEffort, *, first_win: bool
) -> SearchResult:
    tally = NodeBudget(effort)
    seat = rules.turn(state)
    assert seat is not None, "the game is not over"
    try:
        value, line = _Tree(rules, tally, first_win).value(state, seat, 0)
    except NodeBudgetSpent:
        return SearchResult(0.0, ValueKind.NONE, (), tally.counts())
    return SearchResult(value, root_kind(value, tally), flatten_line(line), tally.counts())


def root_kind(value: float, tally: NodeBudget) -> ValueKind:
    """Kind of a value that was searched with the whole window. No guess is as high as a win, so a
    win or a loss is exact.
    """
    if not tally.horizons or abs(value) == WIN:
        return ValueKind.EXACT
    return ValueKind.GUESS


class _Tree:
    def __init__(self, rules: SearchGame, tally: NodeBudget, first_win: bool) -> None:
        self._rules = rules
        self._tally = tally
        self._enough = WIN if first_win else WIN + 1

    def value(self, state: State, seat: int, ply: int) -> tuple[float, Line]:
        """Return the value of a position for a seat, and a line that leads to the value."""
        rules = self._rules
        tally = self._tally
        mover = rules.turn(state)
        if mover == 1 - seat:  # the other seat moves twice in a row
            value, line = self.value(state, mover, ply)
            return -value, line
        tally.count(ply)
        if mover is None or ply >= tally.horizon:
            tally.leaves += 1
            if mover is None:
                return rules.result(state, seat), None
            tally.horizons += 1
            return rules.guess(state, seat), None
        best = -WIN - 1
        line = None
        moves = rules.moves(state, seat)
        for tried, move in enumerate(moves, 1):
            value, rest = self.value(rules.child(state, seat, move), 1 - seat, ply + 1)
            if -value > best:
                best = -value
                line = (move, rest)
                if best >= self._enough:
                    tally.cuts += tried < len(moves)
                    break
        return best, line
