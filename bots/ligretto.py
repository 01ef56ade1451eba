"""Ligretto bot `ligretto`. It plays like the model of a table (docs/protocol/23), so that model and
play can be compared.
"""

from dataclasses import replace
from random import Random

from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.ligretto.view import FRONT_KEY, TOP_KEY
from protocol.view.board import Offer
from protocol.view.view import View


def ligretto_bot(view: View, rng: Random) -> Action:
    """Lay a random card of the row that fits, otherwise the top of the discards. If nothing fits,
    choose as `random`, that is, flip.

    In Dutch Blitz, lay the top of the stock first; if nothing fits on a shared pile, put a card on
    a post pile, the top of the stock first. Never move a card that lies on others there.
    """
    lays = [offer for offer in view.offers if offer.kind in ("open", "lay")]
    posts = [offer for offer in view.offers if offer.kind == "post"]
    for found in (lays, posts):
        front = [offer for offer in found if offer.key == FRONT_KEY]
        row = [offer for offer in found if offer.key != TOP_KEY]
        if found:
            return _any_card(front or row or found, rng).action
    rest = tuple(offer for offer in view.offers if offer.kind != "shift")
    if rest and len(rest) < len(view.offers):
        view = replace(view, offers=rest)
    return random_bot(view, rng)


def _any_card(lays: list[Offer], rng: Random) -> Offer:
    """Pick a random card among those that can be laid, then a random pile for it."""
    card = rng.choice(sorted({offer.piece for offer in lays if offer.piece is not None}))
    return rng.choice([offer for offer in lays if offer.piece == card])
