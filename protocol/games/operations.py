"""What rules ask of hidden pieces: games yield these values, a dealing protocol performs them.

A piece is hidden in a pile, known to the seat that holds it, or known to everybody. Where pieces lie that everybody
knows is the rules' own affair, and no dealing protocol hears of it: an operation is about who learns what.
"""

from dataclasses import dataclass
from typing import Final

EVERYBODY: Final = -1  # in the place of a seat: to whom turned up pieces are shown, and who acts when no seat does


@dataclass(frozen=True)
class Pile:
    """Pieces that are shuffled apart from all others."""

    size: int  # at least 1
    each: int = 0  # how many of them every seat is dealt at the start; the rest is the pile's stock


@dataclass(frozen=True)
class Lay:
    """A new deal, of all pieces of the game.

    The first pile has the first `size` pieces, and so on. Dealt to are these seats (None: all) that have not left.
    """

    piles: tuple[Pile, ...]
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Look:
    """A seat gets the next `count` pieces of a pile's stock and sees them alone; for `EVERYBODY` they are turned up."""

    count: int
    seat: int
    pile: int = 0  # counted from 0


@dataclass(frozen=True)
class Reveal:
    """The seat that acts shows this piece, which it holds, to everybody."""

    piece: int


@dataclass(frozen=True)
class PutAway:
    """The seat that acts puts pieces away unseen, by their places in its `Hand`, ascending."""

    slots: tuple[int, ...]


@dataclass(frozen=True)
class Shuffle:
    """A pile's stock, and what was put away of that pile, are hidden anew and make its new stock."""

    pile: int = 0


Operation = Look | Reveal | PutAway | Shuffle
