"""Opening of a slot: the values, and their encoding in actions."""

from dataclasses import dataclass, field
from typing import Any, Final

from protocol.games import Piece
from protocol.games.decks import DeckCard, Owned, ProxyCard
from protocol.limits import MAX_OPENED_CARD, MAX_OPENED_RECORDS, MAX_PIECES
from protocol.schema import between, either, exactly, fields, many, uint

SALT: Final = 32  # bytes

_RECORD = between(1, MAX_OPENED_CARD)
_RECORDS = many(_RECORD, 0, MAX_OPENED_RECORDS)
OWNED = fields(_RECORD, many(_RECORD, 1, MAX_OPENED_RECORDS), _RECORDS, _RECORDS)
OPENING = fields(uint(MAX_PIECES), exactly(SALT), either(uint(), OWNED))


@dataclass(frozen=True, slots=True)
class SlotOpening:
    """Slot together with its salt and its card. `piece` is the number of the slot among all slots
    of the match.
    """

    piece: Piece
    salt: bytes = field(repr=False)
    card: DeckCard


def card_value(card: DeckCard) -> Any:
    """Return the value that is encoded for a card in an opening: a number, or lists of records."""
    if isinstance(card, ProxyCard):
        return card.number
    return [card.instance, list(card.types), list(card.trades), list(card.beside)]


def card_of_value(value: Any) -> DeckCard:
    """Return the card of a value that has the shape of `card_value`."""
    if type(value) is int:
        return ProxyCard(value)
    instance, types, trades, beside = value
    return Owned(instance, tuple(types), tuple(trades), tuple(beside))
