"""Dominoes by a short name."""

from typing import Any

from protocol.games.dominoes import Dominoes
from protocol.games.registry import create_game


def dominoes(seats: int, variant: str, **options: Any) -> Dominoes:
    """An option that is None is as usual."""
    game = create_game(
        f"{variant}-dominoes",
        seats,
        {name: value for name, value in options.items() if value is not None},
    )
    assert isinstance(game, Dominoes)
    return game
