"""Secrets of a seat in a game with decks. In such games a `DeckHand` is passed in place of a plain
hand.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple, Protocol

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games import Action, MatchBinding, Piece
from protocol.games.decks import DeckCard, Owned, ProxyCard
from protocol.games.decks.opening import OWNED, SlotOpening
from protocol.games.decks.ownership import NoOwnership, Ownership
from protocol.games.operations import Card
from protocol.limits import MAX_DECK
from protocol.schema import either, fields, many, uint


class DeckHand(tuple[Piece, ...]):
    """Pieces that a seat sees now, by ascending card. The object also says at which card each piece
    lies, and how to open the seat's own slots.
    """

    # pieces that the seat knows now: its own, and those that are public
    visible: Mapping[Card, Piece]
    openings: Mapping[Piece, SlotOpening]  # of all slots of the seat's own deck

    def __new__(
        cls, sees: Mapping[Card, Piece], openings: Mapping[Piece, SlotOpening]
    ) -> "DeckHand":
        made = super().__new__(cls, (sees[card] for card in sorted(sees)))
        made.visible, made.openings = sees, openings
        return made


class PrivateHalf(Protocol):
    """Secrets of one seat in a game, in addition to its half of a deal. They depend only on the
    seat's random source.
    """

    def hand(self, sees: Mapping[Card, Piece]) -> DeckHand:
        """Make the hand of this seat from the pieces that it sees."""

    def respond(self, state: Any, held: DeckHand) -> Action | None:
        """Return the next action of this seat that its program posts by itself: a required step, or
        a dispute. None: there is none.
        """


class Loadout(NamedTuple):
    """Private input of a seat to a match: deck, rule file and knowledge of ownership."""

    cards: tuple[DeckCard, ...] = ()  # deck of the seat; empty: the starter deck of the rules
    text: str = ""  # text of the rules, if the match names the rules by a digest
    # knowledge of the seat's program about cards, besides the log
    ownership: Ownership = NoOwnership()


# Parameters: the rules, the match, the seat, its random source and its loadout. Result: the private
# half of the seat.
PrivateHalfFactory = Callable[[Any, MatchBinding, int, Random, Loadout], PrivateHalf]


def loadout_bytes(brings: Loadout) -> bytes:
    """Encode a loadout. A program stores it with a match, so that it can continue with the same
    loadout after a restart.
    """
    cards: list[Any] = [
        card.number
        if isinstance(card, ProxyCard)
        else [card.instance, list(card.types), card.trade]
        for card in brings.cards
    ]
    return wire.encode([cards, brings.text])


def read_loadout(data: bytes, knows: Ownership) -> Loadout:
    """Decode the result of `loadout_bytes`, and add current knowledge of ownership. Raises:
    RemoteError(BAD_ENCODING) if the bytes are malformed.
    """
    value = wire.decode(data)
    if not _LOADOUT_SHAPE(value):
        raise RemoteError(Code.BAD_ENCODING)
    cards, text = value
    read = (
        ProxyCard(one) if type(one) is int else Owned(one[0], tuple(one[1]), one[2])
        for one in cards
    )
    return Loadout(tuple(read), text, knows)


_LOADOUT_SHAPE = fields(many(either(uint(), OWNED), 0, MAX_DECK), lambda value: type(value) is str)
