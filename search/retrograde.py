"""Where positions are few: one sweep over all of them, in the order of their numbers or from the
ends back.
"""

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
    """Value and move without looking at anything else. Raises: LocalError where the game knows
    none.
    """
    seat_to_move(rules, state)
    found = rules.solve_by_formula(state) if rules.solve_by_formula is not None else None
    if found is None:
        raise LocalError("search.no_formula")
    value, move = found
    return SearchResult(
        value, ValueKind.EXACT, () if move is None else (move,), SearchCounts(1, 0, 0, 0, 0)
    )


def solve_exactly(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """By the formula, else by the game's own solver; of the kind `NONE` where neither knows this
    position.
    """
    seat_to_move(rules, state)
    if rules.solve_by_formula is not None and rules.solve_by_formula(state) is not None:
        return solve_by_formula(rules, state, effort)
    if rules.solver is None:
        return SearchResult(DRAW, ValueKind.NONE, (), SearchCounts(1, 0, 0, 0, 0))
    least, most, move, nodes = rules.solver(state, effort.nodes, effort.stop)
    moves, counts = () if move is None else (move,), SearchCounts(nodes, 0, 0, 0, 0)
    if least == most:
        return SearchResult(least, ValueKind.EXACT, moves, counts)
    if least > LOSS:
        return SearchResult(least, ValueKind.AT_LEAST, moves, counts)
    return SearchResult(most, ValueKind.AT_MOST if most < WIN else ValueKind.NONE, moves, counts)


def positions_limit(effort: SearchEffort) -> SearchEffort:
    """What of it may be spent where every position is kept: memory is what ends first."""
    return replace(effort, nodes=min(effort.nodes, MAX_SEARCH_TABLE))


def sweep(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """Dynamic programming: every position by its number, each decided by those before it.

    Raises: LocalError for a game that does not number its positions.
    """
    if rules.smaller_positions is None:
        raise LocalError("search.no_numbers")
    seat, tally = seat_to_move(rules, state), NodeBudget(positions_limit(effort))
    values: dict[Hashable, float] = {}
    best: dict[Hashable, Action] = {}
    try:
        for position in rules.smaller_positions(state):
            _decide(rules, tally, position, values, best)
    except NodeBudgetSpent:
        return SearchResult(DRAW, ValueKind.NONE, (), tally.counts())
    value, moves = values[rules.key(state)], []
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
    """The value of one position for who is to move there, whoever that is."""
    tally.count(0)
    seat, number = rules.turn(position), rules.key(position)
    assert seat is not None, "ends have no number"
    values[number] = LOSS - 1
    for move in rules.moves(position, seat):
        after = rules.child(position, seat, move)
        value = (
            rules.result(after, seat) if rules.turn(after) is None else -values[rules.key(after)]
        )
        if value > values[number]:
            values[number], best[number] = value, move


class _Place(NamedTuple):
    """A position in retrograde search."""

    state: State
    seat: int | None  # to move; None: over
    before: list[tuple[int, Action]]  # the positions that it follows, and by which move


def retrograde(rules: SearchGame, state: State, effort: SearchEffort) -> SearchResult:
    """From the ends back: lost where every move leads to a win of the other, won where one leads to
    its loss.

    What stays open, because play may go round for ever, is a draw. Wins are the shortest there are,
    losses the longest.
    """
    seat, tally = seat_to_move(rules, state), NodeBudget(positions_limit(effort))
    try:
        places, waiting = _reach(rules, state, tally)
    except NodeBudgetSpent:
        return SearchResult(DRAW, ValueKind.NONE, (), tally.counts())
    values, best = _back(rules, places, waiting)
    sign = WIN if seat == 0 else LOSS
    moves, number, depth = [], 0, 0
    after = {
        (place, move): number for number, found in enumerate(places) for place, move in found.before
    }
    while number in best and depth < len(places):
        moves.append(best[number])
        number, depth = after[number, best[number]], depth + 1
    counts = SearchCounts(tally.nodes, tally.leaves, 0, tally.hits, tally.depth)
    return SearchResult(sign * values.get(0, DRAW), ValueKind.EXACT, tuple(moves), counts)


def _reach(rules: SearchGame, state: State, tally: NodeBudget) -> tuple[list[_Place], list[int]]:
    """All positions that can be reached, nearest first, and how many moves lead on from each."""
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


def _back(
    rules: SearchGame, places: list[_Place], waiting: list[int]
) -> tuple[dict[int, float], dict[int, Action]]:
    """The values for seat 0 of what is decided, and a best move in each."""
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
