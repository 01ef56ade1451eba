"""Secrets of a seat in a game with decks. In such games a `DeckHand` is passed in place of a plain
hand.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games import Action, AnyGame, MatchBinding, Piece
from protocol.games.decks import DeckCard, Owned
from protocol.games.decks.ownership import NoOwnership, Ownership
from protocol.games.decks.slot_opening import OWNED, SlotOpening, card_of_value, card_value
from protocol.games.operations import Card
from protocol.limits import MAX_DECK, MAX_OPENED_RECORDS, MAX_RECORD
from protocol.schema import between, either, fields, many, nothing, uint


class DeckHand(tuple[Piece, ...]):
    """Pieces that a seat sees now, by ascending card. The object also says at which card each piece
    lies, and how to open the seat's own slots.
    """

    # pieces that the seat knows now: its own, and those that are public
    visible: Mapping[Card, Piece]
    openings: Mapping[Piece, SlotOpening]  # of all slots of the seat's own deck

    def __new__(
        cls, visible: Mapping[Card, Piece], openings: Mapping[Piece, SlotOpening]
    ) -> "DeckHand":
        made = super().__new__(cls, (visible[card] for card in sorted(visible)))
        made.visible, made.openings = visible, openings
        return made


S = TypeVar("S")


class PrivateHalf(ABC, Generic[S]):
    """Secrets of one seat in a game with states of type `S`, in addition to its half of a deal.
    They depend only on the seat's random source.
    """

    @abstractmethod
    def hand(self, visible: Mapping[Card, Piece]) -> DeckHand:
        """Make the hand of this seat from the pieces that are visible to it."""

    @abstractmethod
    def respond(self, state: S, held: DeckHand) -> Action | None:
        """Return the next action of this seat that its program posts by itself: a required step, or
        a dispute. None: there is none.
        """


AnyPrivateHalf = PrivateHalf[Any]  # of a game that a log or a person has named


class Loadout(NamedTuple):
    """Private input of a seat to a match: deck, rule file and knowledge of ownership."""

    cards: tuple[DeckCard, ...] = ()  # deck of the seat; empty: the starter deck of the rules
    text: str = ""  # text of the rules, if the match names the rules by a digest
    # knowledge of the seat's program about cards, besides the log
    ownership: Ownership = NoOwnership()


# Parameters: the rules, the match, the seat, its random source and its loadout. Result: the private
# half of the seat.
PrivateHalfFactory = Callable[[AnyGame, MatchBinding, int, Random, Loadout], AnyPrivateHalf]


def loadout_bytes(brings: Loadout) -> bytes:
    """Encode a loadout. A program stores it with a match, so that it can continue with the same
    loadout after a restart.
    """
    return wire.encode([list(map(card_value, brings.cards)), brings.text])


def read_loadout(data: bytes, knows: Ownership) -> Loadout:
    """Decode the result of `loadout_bytes`, and add current knowledge of ownership. Raises:
    RemoteError(BAD_ENCODING) if the bytes are malformed.
    """
    value = wire.decode(data)
    if not _LOADOUT_SHAPE(value):
        raise RemoteError(Code.BAD_ENCODING)
    cards, text = value
    return Loadout(tuple(map(_stored_card, cards)), text, knows)


def _stored_card(value: Any) -> DeckCard:
    """Return a card of a stored loadout. Before edition 4 an owned card had its last trade alone; a
    match of such an edition is over here, but its file must stay readable.
    """
    if type(value) is list and len(value) == _LAST_TRADE_FIELDS:
        instance, types, trade = value
        return Owned(instance, tuple(types), () if trade is None else (trade,))
    return card_of_value(value)


_LAST_TRADE_FIELDS = 3
_RECORD = between(1, MAX_RECORD)
_LAST_TRADE = fields(_RECORD, many(_RECORD, 1, MAX_OPENED_RECORDS), either(nothing, _RECORD))
_LOADOUT_SHAPE = fields(
    many(either(uint(), OWNED, _LAST_TRADE), 0, MAX_DECK), lambda value: type(value) is str
)
