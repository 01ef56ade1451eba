"""Opening of a slot: the values, and their encoding in actions."""

from dataclasses import dataclass, field
from typing import Final

from protocol.games import Piece
from protocol.games.decks import DeckCard
from protocol.limits import MAX_DECK_TYPES, MAX_PIECES, MAX_RECORD
from protocol.schema import between, either, exactly, fields, many, nothing, uint

SALT: Final = 32  # bytes

_RECORD = between(1, MAX_RECORD)
OWNED = fields(_RECORD, many(_RECORD, 1, MAX_DECK_TYPES), either(nothing, _RECORD))
OPENING = fields(uint(MAX_PIECES), exactly(SALT), either(uint(), OWNED))


@dataclass(frozen=True, slots=True)
class SlotOpening:
    """Slot together with its salt and its card. `piece` is the number of the slot among all slots
    of the match.
    """

    piece: Piece
    salt: bytes = field(repr=False)
    card: DeckCard
