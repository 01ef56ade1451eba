"""The bot that plays every game."""

from random import Random
from typing import Any

from protocol.games import Action, Game, Hand

ABOUT = "any kind of action that is legal, then any of that kind, all equally likely; plays every game"


def random_bot(game: Game, state: Any, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random) -> Action:
    """Any kind of action that is legal, then any of that kind."""
    kinds = sorted({action[0] for action in legal})
    kind = rng.choice(kinds) if len(kinds) > 1 else kinds[0]
    return rng.choice([action for action in legal if action[0] == kind])
