"""Counting by hand: the whole tree of a game, its positions, what each is worth. Slow, and with
nothing to go wrong.
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
    """A game for two, with these options."""
    game = create_game(name, 2, options)
    assert isinstance(game, OpenGame)
    return game


def children(game: OpenGame, state: Any) -> list[Any]:
    """All positions after the next move."""
    return [
        game.apply(state, state.to_act, action) for action in game.legal(state, state.to_act, ())
    ]


def tree_nodes(game: OpenGame, state: Any) -> int:
    """Nodes of the whole tree, this one too."""
    return 1 + sum(tree_nodes(game, child) for child in children(game, state))


def positions(game: OpenGame, state: Any) -> set[Any]:
    """All that can come of this one, itself too."""
    found, new = {state}, [state]
    while new:
        later = [child for child in children(game, new.pop()) if child not in found]
        found.update(later)
        new += later
    return found


def value(game: OpenGame, state: Any, known: dict[Any, int]) -> int:
    """1: won for the seat to act, 0: a draw, −1: lost."""
    if state not in known:
        if game.wants(state) == Over():
            winner = game.winner(state)
            known[state] = 0 if winner is None else 1 if winner == state.to_act else -1
        else:
            known[state] = max(-value(game, child, known) for child in children(game, state))
    return known[state]


@cache
def small_connect_four() -> tuple[OpenGame, Mapping[Any, int]]:
    """The game on the smallest board, and what each of its positions is worth: looked at once, for
    all who compare.
    """
    game, known = open_game("connect-four", width=4, height=4), dict[Any, int]()
    value(game, game.opening(0), known)
    return game, MappingProxyType(known)


def first_win(game: OpenGame, state: Any, order: Order) -> tuple[int, int]:
    """The nodes looked at until the first winning move is found everywhere, and the value; no
    draws.
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
