"""Alpha-beta search, with a table of positions, move ordering and null windows.

Negamax: a value belongs to the seat that moves, so a child has the negative value and the window
from −beta to −alpha. Fail-soft: a value outside the window is the best known bound. The table keeps
whether a value is exact or a bound.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol.games import Action
from protocol.limits import MAX_SEARCH_TABLE
from search import GRAIN, LOSS, WIN, Line, ValueKind
from search.node_budget import NodeBudget
from search.search_game import SearchGame, State

ENDLESS = 1 << 30  # depth of a value that no deeper search can change
KILLERS = 2  # killer moves for each distance from the root


class TableEntry(NamedTuple):
    """A position in the table."""

    value: float
    kind: ValueKind
    depth: int  # moves searched ahead; ENDLESS: to the end
    move: Action


@dataclass(frozen=True)
class AlphaBetaOptions:
    """Techniques that a search adds to the window."""

    table: bool = False
    order: bool = False  # try the move of the table first, then the game's own order
    # then try moves with cuts at the same distance from the root, and with most cuts
    killers: bool = False
    scout: bool = False  # ask with a null window whether a later move is better than the first
    mirror: bool = False  # share table entries between mirrored positions


class AlphaBetaSearch:
    """A search that keeps its table between calls of `value`."""

    def __init__(self, rules: SearchGame, tally: NodeBudget, means: AlphaBetaOptions) -> None:
        self._rules = rules
        self.tally = tally
        self._means = means
        # One table for each seat to move, because the key of a position need not include the turn.
        self.tables: tuple[dict[Hashable, TableEntry], ...] = ({}, {})
        self._killers: dict[int, list[Action]] = {}
        self._history: dict[tuple[int, Action], int] = {}
        self._mirror = rules.mirror if means.mirror else None

    def value(
        self, state: State, seat: int, ply: int, alpha: float = LOSS, beta: float = WIN
    ) -> tuple[float, Line]:
        """Return the value of a position for a seat, and a line that leads to the value. Outside
        the window, the value is a bound.
        """
        rules = self._rules
        tally = self.tally
        mover = rules.turn(state)
        if mover == 1 - seat:  # the other seat moves twice in a row
            value, line = self.value(state, mover, ply, -beta, -alpha)
            return -value, line
        tally.count(ply)
        if mover is None or ply >= tally.horizon:
            tally.leaves += 1
            if mover is None:
                return rules.result(state, seat), None
            tally.horizons += 1
            return rules.guess(state, seat), None
        if not self._means.table:
            return self._best(state, seat, ply, alpha, beta, rules.moves(state, seat))
        return self._known(state, seat, ply, alpha, beta)

    def _known(
        self, state: State, seat: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line]:
        """Take the value from the table, or search and store it."""
        tally = self.tally
        table = self.tables[seat]
        key = self._rules.key(state)
        entry = table.get(key)
        depth = tally.horizon - ply
        best = None
        if entry is None and self._mirror is not None:
            entry = table.get(self._rules.key(self._mirror(state)))
        elif entry is not None:
            best = entry.move
        if entry is not None and entry.depth >= depth and _settles(entry, alpha, beta):
            tally.hits += 1
            tally.horizons += entry.depth < ENDLESS
            return entry.value, None if best is None else (best, None)
        horizons = tally.horizons
        if self._means.order:
            moves = self._ordered(state, seat, ply, best)
        else:
            moves = self._rules.moves(state, seat)
        value, line = self._best(state, seat, ply, alpha, beta, moves)
        if line is not None and (len(table) < MAX_SEARCH_TABLE or key in table):
            if tally.horizons == horizons or abs(value) == WIN:
                depth = ENDLESS
            table[key] = TableEntry(value, bound_kind(value, alpha, beta), depth, line[0])
        return value, line

    def _best(
        self, state: State, seat: int, ply: int, alpha: float, beta: float, moves: Sequence[Action]
    ) -> tuple[float, Line]:
        """Search the moves until one reaches beta; return the best value and its line."""
        best = LOSS - 1
        line = None
        child = self._rules.child
        scout = self._means.scout
        for move in moves:
            after = child(state, seat, move)
            if scout and line is not None and beta - alpha > GRAIN:
                value, rest = self.value(after, 1 - seat, ply + 1, -alpha - GRAIN, -alpha)
                if alpha < -value < beta:
                    value, rest = self.value(after, 1 - seat, ply + 1, -beta, -alpha)
            else:
                value, rest = self.value(after, 1 - seat, ply + 1, -beta, -alpha)
            if -value > best:
                best = -value
                line = (move, rest)
                alpha = max(alpha, best)
                if alpha >= beta:
                    if move is not moves[-1]:
                        self.tally.cuts += 1
                    if self._means.killers:
                        self._remember(seat, ply, move)
                    break
        return best, line

    def _ordered(self, state: State, seat: int, ply: int, best: Action | None) -> Sequence[Action]:
        """Order the moves: the move of the table, killer moves, moves with most cuts, then the
        game's own order.
        """
        moves = self._rules.moves(state, seat)
        if self._rules.order is not None:
            moves = self._rules.order(state, moves)
        if self._means.killers:
            killers = self._killers.get(ply, ())
            history = self._history
            moves = sorted(
                moves, key=lambda move: (move not in killers, -history.get((seat, move), 0))
            )
        if best is not None:
            moves = [best, *(move for move in moves if move != best)]
        return moves

    def _remember(self, seat: int, ply: int, move: Action) -> None:
        killers = self._killers.setdefault(ply, [])
        if move not in killers:
            killers.insert(0, move)
            del killers[KILLERS:]
        self._history[seat, move] = self._history.get((seat, move), 0) + 1


def _settles(entry: TableEntry, alpha: float, beta: float) -> bool:
    """Return True if the entry decides a search with this window."""
    if entry.kind is ValueKind.AT_LEAST:
        return entry.value >= beta
    if entry.kind is ValueKind.AT_MOST:
        return entry.value <= alpha
    return True


def bound_kind(value: float, alpha: float, beta: float) -> ValueKind:
    """Classify a value that was found in the window from alpha to beta."""
    if abs(value) == WIN:  # no value is above a win or below a loss
        return ValueKind.EXACT
    if value >= beta:
        return ValueKind.AT_LEAST
    return ValueKind.AT_MOST if value <= alpha else ValueKind.EXACT
