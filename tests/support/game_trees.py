"""Brute-force search of a game: its whole tree, its positions, and their values. Slow, but simple
enough to trust.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from protocol.games import Action, Over
from protocol.games.open_game import OpenGame
from protocol.games.registry import create_game

Order = Callable[[Any, tuple[Action, ...]], Iterable[Action]]


def open_game(name: str, **options: int | str) -> OpenGame:
    """Make a game for two with these options."""
    game = create_game(name, 2, options)
    assert isinstance(game, OpenGame)
    return game


def children(game: OpenGame, state: Any) -> list[Any]:
    """Return all positions after the next move."""
    return [
        game.apply(state, state.to_act, action) for action in game.legal(state, state.to_act, ())
    ]


def tree_nodes(game: OpenGame, state: Any) -> int:
    """Count the nodes of the whole tree, including this one."""
    return 1 + sum(tree_nodes(game, child) for child in children(game, state))


def positions(game: OpenGame, state: Any) -> set[Any]:
    """Return all positions that can follow, including this one."""
    found, new = {state}, [state]
    while new:
        later = [child for child in children(game, new.pop()) if child not in found]
        found.update(later)
        new += later
    return found


def value(game: OpenGame, state: Any, known: dict[Any, int]) -> int:
    """Return the value of a position: 1 if the seat to act wins, 0 for a draw, −1 if it loses."""
    if state not in known:
        if game.wants(state) == Over():
            winner = game.winner(state)
            known[state] = 0 if winner is None else 1 if winner == state.to_act else -1
        else:
            known[state] = max(-value(game, child, known) for child in children(game, state))
    return known[state]


@cache
def small_connect_four() -> tuple[OpenGame, Mapping[Any, int]]:
    """Return Connect Four on the smallest board, and the value of each position, cached for all
    tests.
    """
    game, known = open_game("connect-four", width=4, height=4), dict[Any, int]()
    value(game, game.opening(0), known)
    return game, MappingProxyType(known)


def first_win(game: OpenGame, state: Any, order: Order) -> tuple[int, int]:
    """Count the nodes until a search finds the first winning move everywhere, and return the value.
    Draws do not occur.
    """
    if game.wants(state) == Over():
        return 1, 1 if game.winner(state) == state.to_act else -1
    nodes = 1
    for action in order(state, game.legal(state, state.to_act, ())):
        below, worth = first_win(game, game.apply(state, state.to_act, action), order)
        nodes += below
        if worth == -1:
            return nodes, 1
    return nodes, -1
