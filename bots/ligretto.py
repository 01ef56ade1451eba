"""Ligretto bot `ligretto`. It plays like the model of a table (docs/protocol/23), so that model and
play can be compared.
"""

from random import Random

from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.ligretto.view import TOP_KEY
from protocol.view.board import Offer
from protocol.view.view import View


def ligretto_bot(view: View, rng: Random) -> Action:
    """Lay a random card of the row that fits, otherwise the top of the discards. If nothing fits,
    choose as `random`, that is, flip.
    """
    lays = [offer for offer in view.offers if offer.kind in ("open", "lay")]
    row = [offer for offer in lays if offer.key != TOP_KEY]
    if not lays:
        return random_bot(view, rng)
    return _any_card(row or lays, rng).action


def _any_card(lays: list[Offer], rng: Random) -> Offer:
    """Pick a random card among those that can be laid, then a random pile for it."""
    card = rng.choice(sorted({offer.piece for offer in lays if offer.piece is not None}))
    return rng.choice([offer for offer in lays if offer.piece == card])
