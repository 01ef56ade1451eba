"""Decks that somebody gives: 40 different card numbers for each seat. What is wrong is said by seat
and card.
"""

import json
from collections import Counter
from typing import Any

from protocol.errors import LocalError
from simulation.models import CARDS, Deck
from simulation.task.settings import SEPARATORS, as_number, quoted


def check_decks(value: Any) -> tuple[Deck, ...]:
    """Raises: LocalError that names the seat (from 1) and the card."""
    if type(value) is not list or not all(type(deck) is list for deck in value):
        raise LocalError("simulate.wrong.decks", cards=CARDS, most=CARDS - 1)
    return tuple(_deck(deck, seat) for seat, deck in enumerate(value, 1))


def _deck(deck: list[Any], seat: int) -> Deck:
    for place, card in enumerate(deck, 1):
        if type(card) is not int or not 0 <= card < CARDS:
            raise LocalError(
                "simulate.wrong.card", seat=seat, place=place, most=CARDS - 1, value=quoted(card)
            )
    twice = [card for card, count in Counter(deck).items() if count > 1]
    missing = sorted(set(range(CARDS)) - set(deck))
    if twice:
        raise LocalError("simulate.wrong.twice", seat=seat, card=twice[0])
    if missing:
        raise LocalError(
            "simulate.wrong.missing", seat=seat, card=missing[0], cards=CARDS, given=len(deck)
        )
    return tuple(deck)


def parse_decks(text: str) -> Any:
    """Decks as people write them: JSON, or a line of numbers for each seat. Raises: LocalError for
    what is neither.
    """
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise LocalError("simulate.wrong.decks", cards=CARDS, most=CARDS - 1) from None
    lines = [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return [[as_number(card) for card in SEPARATORS.split(line) if card] for line in lines]
