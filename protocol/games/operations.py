"""What rules ask of hidden pieces: games yield these values, a dealing protocol performs them.

A piece is hidden in a pile, known to the seat that holds it, or known to everybody. Where pieces
lie that everybody knows is the rules' own affair, and no dealing protocol hears of it: an operation
is about who learns what.

In a loose pile rules ask for cards one by one. A card is a place of the deck, and hides the same
piece until it is shuffled with others: so rules can say what lies where, and move it, without
knowing what it is.
"""

from dataclasses import dataclass
from typing import Final

Card = int  # a place of the deck, counted from 0 over all piles

# in the place of a seat: to whom turned up pieces are shown, and who acts when no seat does
EVERYBODY: Final = -1


@dataclass(frozen=True)
class Pile:
    """Pieces that are shuffled apart from all others: dealt and drawn from, or the own deck of one
    seat.

    Of an own deck nothing is dealt, and nobody looks at its pieces before they are turned up: its
    owner alone does that, place by place, and needs nobody else for it.

    A loose pile is not shuffled when it is laid: its card k is piece k, as everybody knows, until
    the rules want it hidden. It has no stock, and nothing of it is dealt; `owner` then says only
    whose cards these are, for dealing protocols in which each seat deals its own.
    """

    size: int  # at least 1
    hand_size: int = (
        0  # how many of them every seat is dealt at the start; the rest is the pile's stock
    )
    owner: int | None = None  # the seat whose own deck this is
    # of an own deck: the places in it (from 0) that are turned up when it is dealt
    face_up_places: tuple[int, ...] = ()
    # its cards are asked for one by one: `ShuffleCards`, `LookAt`, `RevealCards`, `OpenCard`
    loose: bool = False

    @property
    def is_own_deck(self) -> bool:
        """Whether this is the own deck of a seat, of which it turns up place by place."""
        return self.owner is not None and not self.loose


@dataclass(frozen=True)
class Lay:
    """A new deal, of all pieces of the game.

    The first pile has the first `size` pieces, and so on. Dealt to are these seats (None: all) that
    have not left.
    """

    piles: tuple[Pile, ...]
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Look:
    """A seat gets the next `count` pieces of a pile's stock and sees them alone; for `EVERYBODY`
    they are turned up.
    """

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
    """A pile's stock, and what was put away of that pile, are hidden anew and make its new
    stock.
    """

    pile: int = 0


@dataclass(frozen=True)
class Turn:
    """The seat that acts turns up these places of its own deck, in this order, for everybody to
    see.
    """

    pile: int
    places: tuple[int, ...]  # in the deck, from 0


@dataclass(frozen=True)
class ShuffleCards:
    """These loose cards are hidden anew, by all seats dealt to in turn, or by some alone.

    Nobody knows any more which is where; but a seat that does it alone keeps what it knew of them.
    """

    cards: tuple[Card, ...]
    by: tuple[int, ...] | None = None  # seats; None: all. Where none of them is left, all do it


@dataclass(frozen=True)
class LookAt:
    """These seats learn the pieces of loose cards, as far as they are there; the others do not."""

    cards: tuple[Card, ...]
    seats: tuple[int, ...]


@dataclass(frozen=True)
class RevealCards:
    """Everybody learns the pieces of these loose cards."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class OpenCard:
    """The seat that acts shows that a loose card is this piece, at once; it is the one that looked
    at it last.
    """

    card: Card
    piece: int


# what rules may want of loose cards without any seat's asking
CardOperation = ShuffleCards | LookAt | RevealCards
Operation = Look | Reveal | PutAway | Shuffle | Turn | CardOperation | OpenCard
