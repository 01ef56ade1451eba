"""Algorithms for games with few positions: formula, sweep by number, and retrograde analysis."""

from collections import deque
from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.games import Action
from protocol.limits import MAX_SEARCH_TABLE
from search import DRAW, LOSS, WIN, SearchCounts, SearchEffort, SearchResult, ValueKind
from search.iterative_deepening import seat_to_move
from search.node_budget import NodeBudget, NodeBudgetSpent
from search.search_game import SearchGame, State


def solve_by_formula(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Return the value and a move by the game's formula. Raises: LocalError if the game has no
    formula for this position.
    """
    seat_to_move(rules, state)
    if rules.solve_by_formula is not None:
        found = rules.solve_by_formula(state)
    else:
        found = None
    if found is None:
        raise LocalError("search.no_formula")
    value, move = found
    return SearchResult(
        value, ValueKind.EXACT, () if move is None else (move,), SearchCounts(1, 0, 0, 0, 0)
    )


def solve_exactly(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Solve by the formula, else by the game's own solver. The kind is `NONE` if neither can."""
    seat_to_move(rules, state)
    if rules.solve_by_formula is not None and rules.solve_by_formula(state) is not None:
        return solve_by_formula(rules, state, effort)
    if rules.solver is None:
        return SearchResult(DRAW, ValueKind.NONE, (), SearchCounts(1, 0, 0, 0, 0))
    least, most, move, nodes = rules.solver(state, effort.nodes, effort.stop)
    moves = () if move is None else (move,)
    counts = SearchCounts(nodes, 0, 0, 0, 0)
    if least == most:
        return SearchResult(least, ValueKind.EXACT, moves, counts)
    if least > LOSS:
        return SearchResult(least, ValueKind.AT_LEAST, moves, counts)
    return SearchResult(most, ValueKind.AT_MOST if most < WIN else ValueKind.NONE, moves, counts)


def positions_limit(effort: SearchEffort) -> SearchEffort:
    """Limit the nodes to `MAX_SEARCH_TABLE`, for algorithms that keep every position in memory."""
    return replace(effort, nodes=min(effort.nodes, MAX_SEARCH_TABLE))


def sweep(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Solve by dynamic programming: each position is decided by positions with a lower number.

    Raises: LocalError for a game without `smaller_positions`.
    """
    if rules.smaller_positions is None:
        raise LocalError("search.no_numbers")
    seat = seat_to_move(rules, state)
    tally = NodeBudget(positions_limit(effort))
    values: dict[Hashable, float] = {}
    best: dict[Hashable, Action] = {}
    try:
        for position in rules.smaller_positions(state):
            _decide(rules, tally, position, values, best)
    except NodeBudgetSpent:
        return SearchResult(DRAW, ValueKind.NONE, (), tally.counts())
    value = values[rules.key(state)]
    moves = []
    now: int | None = seat
    while now is not None:
        moves.append(best[rules.key(state)])
        state = rules.child(state, now, moves[-1])
        now = rules.turn(state)
    return SearchResult(value, ValueKind.EXACT, tuple(moves), tally.counts())


def _decide(
    rules: SearchGame,
    tally: NodeBudget,
    position: State,
    values: dict[Hashable, float],
    best: dict[Hashable, Action],
) -> None:
    """Compute the value of one position for the seat to move there."""
    tally.count(0)
    seat = rules.turn(position)
    number = rules.key(position)
    assert seat is not None, "ends have no number"
    values[number] = LOSS - 1
    for move in rules.moves(position, seat):
        after = rules.child(position, seat, move)
        if rules.turn(after) is None:
            value = rules.result(after, seat)
        else:
            value = -values[rules.key(after)]
        if value > values[number]:
            values[number], best[number] = value, move


class _Place(NamedTuple):
    """A position of retrograde analysis."""

    state: State
    seat: int | None  # to move; None: the game is over
    before: list[tuple[int, Action]]  # positions that lead here, with the move


def retrograde(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Solve from the ends of the game backwards.

    A position is won if one move leads to a position that is lost for the other seat. It is lost if
    every move leads to a win of the other seat. A position that stays open is a draw: play may
    repeat for ever. The line shows the shortest win, or the longest loss.
    """
    seat = seat_to_move(rules, state)
    tally = NodeBudget(positions_limit(effort))
    try:
        places, waiting = _reach(rules, state, tally)
    except NodeBudgetSpent:
        return SearchResult(DRAW, ValueKind.NONE, (), tally.counts())
    values, best = _solve_backwards(rules, places, waiting)
    sign = WIN if seat == 0 else LOSS
    moves = []
    number = 0
    depth = 0
    after = {
        (place, move): number for number, found in enumerate(places) for place, move in found.before
    }
    while number in best and depth < len(places):
        moves.append(best[number])
        number = after[number, best[number]]
        depth = depth + 1
    counts = SearchCounts(tally.nodes, tally.leaves, 0, tally.hits, tally.depth)
    return SearchResult(sign * values.get(0, DRAW), ValueKind.EXACT, tuple(moves), counts)


def _reach(rules: SearchGame, state: State, tally: NodeBudget) -> tuple[list[_Place], list[int]]:
    """Return all reachable positions, nearest first, and the number of moves from each."""
    numbers: dict[tuple[int | None, Hashable], int] = {}
    places: list[_Place] = []
    waiting: list[int] = []

    def number_of(found: State, ply: int) -> int:
        seat = rules.turn(found)
        key = seat, found if seat is None else rules.key(found)
        if key in numbers:
            tally.hits += 1
        else:
            tally.count(ply)
            numbers[key] = len(places)
            places.append(_Place(found, seat, []))
            plies.append(ply)
        return numbers[key]

    plies: list[int] = []
    number_of(state, 0)
    for number, place in enumerate(places):
        moves = () if place.seat is None else rules.moves(place.state, place.seat)
        for move in moves:
            assert place.seat is not None
            after = number_of(rules.child(place.state, place.seat, move), plies[number] + 1)
            places[after].before.append((number, move))
        waiting.append(len(moves))
        tally.leaves += place.seat is None
    return places, waiting


def _solve_backwards(
    rules: SearchGame, places: list[_Place], waiting: list[int]
) -> tuple[dict[int, float], dict[int, Action]]:
    """Return the values for seat 0 of all decided positions, and a best move in each."""
    values = {
        number: rules.result(place.state, 0)
        for number, place in enumerate(places)
        if place.seat is None
    }
    best: dict[int, Action] = {}
    draws: dict[int, Action] = {}
    decided = deque(values)
    while decided:
        number = decided.popleft()
        value = values[number]
        for before, move in places[number].before:
            if before in values:
                continue
            waiting[before] -= 1
            if value == DRAW:
                draws[before] = move
            if value == (WIN if places[before].seat == 0 else LOSS):
                values[before], best[before] = value, move
            elif not waiting[before]:
                values[before] = DRAW if before in draws else value
                best[before] = draws.get(before, move)
            else:
                continue
            decided.append(before)
    return values, best
