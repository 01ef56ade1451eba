"""Bot `random`, which plays every game."""

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.games import Action
    from protocol.view.view import View

ABOUT = "help.bot.random"  # a key of the catalogue: how it plays


def random_bot(view: "View", rng: Random) -> "Action":
    """Pick a random kind of action on offer, then a random action of this kind."""
    kinds = sorted({offer.action[0] for offer in view.offers})
    kind = rng.choice(kinds) if len(kinds) > 1 else kinds[0]
    return rng.choice(
        [action for offer in view.offers if offer.action[0] == kind for action in offer.actions()]
    )
