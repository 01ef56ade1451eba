"""Short constructor for dominoes."""

from typing import Any

from protocol.games.dominoes import Dominoes
from protocol.games.registry import create_game


def dominoes(seats: int, variant: str, **options: Any) -> Dominoes:
    """Make the rules. An option that is None has its default."""
    game = create_game(
        f"{variant}-dominoes",
        seats,
        {name: value for name, value in options.items() if value is not None},
    )
    assert isinstance(game, Dominoes)
    return game
