"""Algorithms that search several times: iterative deepening and MTD(f)."""

from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.games import Action
from search import DRAW, GRAIN, LOSS, WIN, Line, SearchEffort, SearchResult, ValueKind, flatten_line
from search.alpha_beta import AlphaBetaOptions, AlphaBetaSearch
from search.minimax import root_kind
from search.node_budget import NodeBudget, NodeBudgetSpent
from search.search_game import SearchGame, State


def search_window(
    rules: SearchGame, state: State, effort: SearchEffort, means: AlphaBetaOptions
) -> SearchResult:
    """Search once with the whole window, to the depth limit."""
    tally = NodeBudget(effort)
    window = AlphaBetaSearch(rules, tally, means)
    seat = seat_to_move(rules, state)
    try:
        value, line = window.value(state, seat, 0)
    except NodeBudgetSpent:
        return SearchResult(DRAW, ValueKind.NONE, (), tally.counts())
    return _result(window, rules, state, (value, line))


def deepen(
    rules: SearchGame, state: State, effort: SearchEffort, means: AlphaBetaOptions
) -> SearchResult:
    """Search one move ahead, then two, then three, until the effort is spent. Each search uses the
    table of the one before.

    A result always has a move. In a lost position, the move comes from the deepest search that did
    not see the loss: the longest known resistance.
    """
    tally = NodeBudget(effort)
    window = AlphaBetaSearch(rules, tally, means)
    seat = seat_to_move(rules, state)
    deepest = tally.horizon
    moves: tuple[Action, ...] = tuple(ordered_moves(rules, state, seat)[:1])
    kept = SearchResult(rules.guess(state, seat), ValueKind.GUESS, moves, tally.counts())
    try:
        for tally.horizon in range(1, deepest + 1):
            tally.horizons = 0
            kept = _result(window, rules, state, window.value(state, seat, 0))
            if kept.kind is not ValueKind.EXACT:
                moves = kept.moves
            else:
                if kept.value == LOSS and tally.horizon > 1:
                    moves = moves[:1]
                else:
                    moves = kept.moves
                break
    except NodeBudgetSpent:
        moves = kept.moves
    return SearchResult(kept.value, kept.kind, moves, tally.counts())


def mtd(
    rules: SearchGame, state: State, effort: SearchEffort, means: AlphaBetaOptions
) -> SearchResult:
    """MTD(f): search with null windows, each at the bound that the search before has found (A.
    Plaat, 1996).
    """
    tally = NodeBudget(effort)
    window = AlphaBetaSearch(rules, tally, means)
    seat = seat_to_move(rules, state)
    low = LOSS
    high = WIN
    line = None
    value = rules.guess(state, seat)
    try:
        while low < high:
            beta = max(value, low + GRAIN)
            value, found = window.value(state, seat, 0, beta - GRAIN, beta)
            if value < beta:
                high = value
                line = line or found
            else:
                low = value
                line = found
    except NodeBudgetSpent:
        if low > LOSS:
            kind = ValueKind.AT_LEAST
        elif high < WIN:
            kind = ValueKind.AT_MOST
        else:
            kind = ValueKind.NONE
        if tally.horizons and kind is not ValueKind.NONE:
            kind = ValueKind.GUESS
        return SearchResult(
            high if low == LOSS else low, kind, flatten_line(line)[:1], tally.counts()
        )
    # the replies are only good enough for a null window, so they are no principal line
    best = None if line is None else (line[0], None)
    return _result(window, rules, state, (value, best))


def seat_to_move(rules: SearchGame, state: State) -> int:
    """Return the seat to move. Raises: LocalError if the game is over."""
    seat = rules.turn(state)
    if seat is None:
        raise LocalError("search.over")
    return seat


def ordered_moves(rules: SearchGame, state: State, seat: int) -> Sequence[Action]:
    """Return the moves in the game's own order."""
    moves = rules.moves(state, seat)
    return rules.order(state, moves) if rules.order else moves


def _result(
    window: AlphaBetaSearch, rules: SearchGame, state: State, found: tuple[float, Line]
) -> SearchResult:
    value, line = found
    moves = _extend_line(window, rules, state, value, flatten_line(line))
    return SearchResult(value, root_kind(value, window.tally), moves, window.tally.counts())


def _extend_line(
    window: AlphaBetaSearch,
    rules: SearchGame,
    state: State,
    value: float,
    moves: tuple[Action, ...],
) -> tuple[Action, ...]:
    """Extend a line by the best moves of the table, as long as the value stays the same."""
    line: list[Action] = []
    # for seat 0, for seat 1
    if rules.turn(state) == 0:
        wanted = (value, -value)
    else:
        wanted = (-value, value)
    while (seat := rules.turn(state)) is not None and len(line) < window.tally.horizon:
        if len(line) < len(moves):
            move = moves[len(line)]
        else:
            entry = window.tables[seat].get(rules.key(state))
            if entry is None or entry.kind is not ValueKind.EXACT or entry.value != wanted[seat]:
                break
            move = entry.move
        line.append(move)
        state = rules.child(state, seat, move)
    return tuple(line)
