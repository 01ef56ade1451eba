"""Searches made of searches: iterative deepening, and MTD(f), which asks nothing but "at least so
much?".
"""

from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.games import Action
from search import (DRAW, GRAIN, LOSS, WIN, Effort, Kind, Line, Result, moves_of)
from search.search_game import (Rules, State)
from search.node_budget import (Spent, Tally)
from search.minimax import kind_at_root
from search.alpha_beta import (Means, Window)


def search_window(rules: Rules, state: State, effort: Effort, means: Means) -> Result:
    """One search with the whole window, as deep as it may be."""
    tally = Tally(effort)
    window = Window(rules, tally, means)
    seat = mover(rules, state)
    try:
        value, line = window.value(state, seat, 0)
    except Spent:
        return Result(DRAW, Kind.NONE, (), tally.counts())
    return _result(window, rules, state, (value, line))


def deepen(rules: Rules, state: State, effort: Effort, means: Means) -> Result:
    """One move ahead, then two, then three, each by the table of the one before, until the effort
    is spent.

    It always has a move. In a position that is lost, it is that of the deepest search that did not
    see it: the longest resistance it knows.
    """
    tally = Tally(effort)
    window = Window(rules, tally, means)
    seat, deepest = mover(rules, state), tally.horizon
    moves: tuple[Action, ...] = tuple(promising(rules, state, seat)[:1])
    kept = Result(rules.guess(state, seat), Kind.GUESS, moves, tally.counts())
    try:
        for tally.horizon in range(1, deepest + 1):
            tally.horizons = 0
            kept = _result(window, rules, state, window.value(state, seat, 0))
            if kept.kind is not Kind.EXACT:
                moves = kept.moves
            else:
                moves = moves[:1] if kept.value == LOSS and tally.horizon > 1 else kept.moves
                break
    except Spent:
        moves = kept.moves
    return Result(kept.value, kept.kind, moves, tally.counts())


def mtd(rules: Rules, state: State, effort: Effort, means: Means) -> Result:
    """MTD(f): windows of no width, each at the bound that the one before has found (A. Plaat,
    1996).
    """
    tally = Tally(effort)
    window = Window(rules, tally, means)
    seat, low, high, line = mover(rules, state), LOSS, WIN, None
    value = rules.guess(state, seat)
    try:
        while low < high:
            beta = max(value, low + GRAIN)
            value, found = window.value(state, seat, 0, beta - GRAIN, beta)
            if value < beta:
                high, line = value, line or found
            else:
                low, line = value, found
    except Spent:
        kind = Kind.AT_LEAST if low > LOSS else Kind.AT_MOST if high < WIN else Kind.NONE
        kind = Kind.GUESS if tally.horizons and kind is not Kind.NONE else kind
        return Result(high if low == LOSS else low, kind, moves_of(line)[:1], tally.counts())
    best = None if line is None else (line[0], None)  # what follows was no more than good enough
    return _result(window, rules, state, (value, best))


def mover(rules: Rules, state: State) -> int:
    """The seat to move. Raises: LocalError if the game is over."""
    seat = rules.turn(state)
    if seat is None:
        raise LocalError("search.over")
    return seat


def promising(rules: Rules, state: State, seat: int) -> Sequence[Action]:
    """The moves, in the game's own order."""
    moves = rules.moves(state, seat)
    return rules.order(state, moves) if rules.order else moves


def _result(window: Window, rules: Rules, state: State, found: tuple[float, Line]) -> Result:
    value, line = found
    moves = _whole(window, rules, state, value, moves_of(line))
    return Result(value, kind_at_root(value, window.tally), moves, window.tally.counts())


def _whole(
    window: Window, rules: Rules, state: State, value: float, moves: tuple[Action, ...]
) -> tuple[Action, ...]:
    """The line, and how the table goes on with it where it ends, as long as the value is the
    same.
    """
    line: list[Action] = []
    wanted = (value, -value) if rules.turn(state) == 0 else (-value, value)  # of seat 0, of seat 1
    while (seat := rules.turn(state)) is not None and len(line) < window.tally.horizon:
        if len(line) < len(moves):
            move = moves[len(line)]
        else:
            entry = window.tables[seat].get(rules.key(state))
            if entry is None or entry.kind is not Kind.EXACT or entry.value != wanted[seat]:
                break
            move = entry.move
        line.append(move)
        state = rules.child(state, seat, move)
    return tuple(line)
