"""Decks whose cards only their owners know (docs/protocol, chapter 34).

A deck of n cards is n slots. A slot is a piece of the deal like any other, and means nothing to
anybody but its owner. Before anything is shuffled, the owner commits to the card of each slot. The
owner opens a slot when its card is shown.
"""

from dataclasses import dataclass
from enum import StrEnum

Face = dict[str, int | str]  # values printed on a card: its name, and others by their keys


class Mode(StrEnum):
    """Time at which a seat opens the cards of its deck that were not shown in play."""

    OPEN = "open"  # before anything is shuffled
    CLOSING = "closing"  # at the end, before anybody has won
    HIDDEN = "hidden"  # never


@dataclass(frozen=True, slots=True)
class ProxyCard:
    """Card that the rules provide, given by its number. Nobody needs to own it, and a deck may have
    several copies.
    """

    number: int


@dataclass(frozen=True, slots=True)
class Owned:
    """Card that a player owns, given by all signed records that prove its face and its owner
    (docs/protocol, 34.1).

    `types` are the revisions of its card type from revision 0 to the one in play. `trades` are
    those by which it came from its creator to its owner; empty if its owner is its creator.
    `beside` are the waives and the proofs that these trades need.
    """

    instance: bytes
    types: tuple[bytes, ...]
    trades: tuple[bytes, ...] = ()
    beside: tuple[bytes, ...] = ()


DeckCard = ProxyCard | Owned
