"""What a seat holds in a game with decks: more than pieces. It is passed wherever a hand is."""

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
    """The slots that a seat sees now, by ascending card; with where they lie, and how its own are
    opened.
    """

    visible: Mapping[Card, Piece]  # what it knows now, its own and what everybody knows
    openings: Mapping[Piece, SlotOpening]  # of all slots of its own deck

    def __new__(
        cls, sees: Mapping[Card, Piece], openings: Mapping[Piece, SlotOpening]
    ) -> "DeckHand":
        made = super().__new__(cls, (sees[card] for card in sorted(sees)))
        made.visible, made.openings = sees, openings
        return made


class PrivateHalf(Protocol):
    """What one seat keeps to itself in a game, beside its half of a deal: all of it a function of
    its random source.
    """

    def hand(self, sees: Mapping[Card, Piece]) -> DeckHand:
        """What to pass as this seat's hand when it sees these pieces."""

    def respond(self, state: Any, held: DeckHand) -> Action | None:
        """The action of this seat that nobody need be asked for: a step, or a dispute. None: there
        is none.
        """


class Loadout(NamedTuple):
    """What a seat brings to a match, and nobody else knows."""

    cards: tuple[DeckCard, ...] = ()  # its deck; none: what the rules give to who brings none
    text: str = ""  # of the rules, where the match names them by a digest
    ownership: Ownership = NoOwnership()  # what its program knows of cards beside the log


# (the rules, whose match it is, the seat, its random source, what it brings) -> the seat's half
PrivateHalfFactory = Callable[[Any, MatchBinding, int, Random, Loadout], PrivateHalf]


def loadout_bytes(brings: Loadout) -> bytes:
    """What a seat's program keeps with a match, so that one that is started again brings the
    same.
    """
    cards: list[Any] = [
        card.number
        if isinstance(card, ProxyCard)
        else [card.instance, list(card.types), card.trade]
        for card in brings.cards
    ]
    return wire.encode([cards, brings.text])


def read_loadout(data: bytes, knows: Ownership) -> Loadout:
    """The same from such bytes, with what is known now. Raises: RemoteError(BAD_ENCODING) for
    others.
    """
    value = wire.decode(data)
    if not _KEPT(value):
        raise RemoteError(Code.BAD_ENCODING)
    cards, text = value
    read = (
        ProxyCard(one) if type(one) is int else Owned(one[0], tuple(one[1]), one[2])
        for one in cards
    )
    return Loadout(tuple(read), text, knows)


_KEPT = fields(many(either(uint(), OWNED), 0, MAX_DECK), lambda value: type(value) is str)
