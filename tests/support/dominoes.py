"""Dominoes by a short name."""

from typing import Any

from protocol.games.dominoes import Dominoes
from protocol.games.registry import create_game


def dominoes(seats: int, variant: str, **options: Any) -> Dominoes:
    game = create_game(f"{variant}-dominoes", seats, options)
    assert isinstance(game, Dominoes)
    return game
