"""Decks that only their owners know (docs/protocol, chapter 34).

A deck of n cards is n slots: pieces of the deal like any others, which mean nothing to anybody but
their owner, who has committed to what each of them is before anything was shuffled, and opens a
slot when its card is shown.
"""

from dataclasses import dataclass
from enum import StrEnum

Face = dict[str, int | str]  # what is printed on a card: its name, and its values by their keys


class Mode(StrEnum):
    """When the cards of a deck that were not shown in play are opened."""

    OPEN = "open"  # all of them, before anything is shuffled
    CLOSING = "closing"  # in the end, before anybody has won
    HIDDEN = "hidden"  # never


@dataclass(frozen=True, slots=True)
class ProxyCard:
    """One of the cards that the rules bring along, by its number: nobody need own it, and a deck
    may have several.
    """

    number: int


@dataclass(frozen=True, slots=True)
class Owned:
    """A card that somebody owns, as signed records (docs/protocol, 24): all that its face and its
    owner rest on.

    `types`: revision 0 and all since, up to the one that is played with. `trade`: by which its
    owner has it; None for who made it.
    """

    instance: bytes
    types: tuple[bytes, ...]
    trade: bytes | None


DeckCard = ProxyCard | Owned
