"""Operations on hidden pieces: games return these values, and a dealing protocol performs them.

A piece is hidden in a pile, known to the seat that has it, or known to everybody. An operation is
about which seat learns what. The position of public pieces is the business of the rules alone, and
dealing protocols never learn it.

In a loose pile rules address cards one by one. A card is a place of the deck. It hides the same
piece until it is shuffled with other cards. So rules can say where a card lies, and move it,
without knowing its piece.
"""

from dataclasses import dataclass
from typing import Final

Card = int  # place of the deck, counted from 0 over all piles

# Value used in place of a seat. As receiver of pieces: turn them up for everybody. As actor: no
# seat acts.
EVERYBODY: Final = -1


@dataclass(frozen=True)
class Pile:
    """Set of pieces that is shuffled separately. Seats are dealt from it and draw from it, or it is
    the own deck of one seat.

    An own deck deals no pieces. Its owner alone turns up its pieces, place by place, and needs no
    other seat for this. Nobody sees a piece of it before.

    A loose pile is not shuffled when it is laid: card k is piece k, as everybody knows, until the
    rules ask for a shuffle. It has no stock and deals no pieces. For a loose pile `owner` says only
    whose cards these are, for dealing protocols in which each seat deals its own.
    """

    size: int  # number of pieces, at least 1
    # Number of pieces that every seat is dealt at the start. The rest is the stock of the pile.
    hand_size: int = 0
    owner: int | None = None  # seat whose own deck this is
    # Places in an own deck, from 0, that are turned up as part of the deal.
    face_up_places: tuple[int, ...] = ()
    # Rules address its cards one by one: `ShuffleCards`, `LookAt`, `RevealCards`, `OpenCard`.
    loose: bool = False

    @property
    def is_own_deck(self) -> bool:
        """Check whether this is the own deck of a seat, which turns up its places one by one."""
        return self.owner is not None and not self.loose


@dataclass(frozen=True)
class Lay:
    """New deal of all pieces of the game.

    The first pile consists of the first `size` pieces, the second pile of the next, and so on.
    `seats` are dealt to (None: all seats), except seats that have left.
    """

    piles: tuple[Pile, ...]
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Look:
    """Give the next `count` pieces of the stock of `pile` to a seat, which alone sees them. With
    `EVERYBODY` as seat they are turned up.
    """

    count: int
    seat: int
    pile: int = 0  # counted from 0


@dataclass(frozen=True)
class Reveal:
    """Show a piece in the hand of the acting seat to everybody."""

    piece: int


@dataclass(frozen=True)
class PutAway:
    """Put pieces of the acting seat away, unseen by the others. `slots` are their places in its
    `Hand`, in ascending order.
    """

    slots: tuple[int, ...]


@dataclass(frozen=True)
class Shuffle:
    """Shuffle the stock of a pile and the pieces put away from this pile. Together they become its
    new stock.
    """

    pile: int = 0


@dataclass(frozen=True)
class Turn:
    """Turn up places of the acting seat's own deck for everybody, in this order."""

    pile: int
    places: tuple[int, ...]  # in the deck, from 0


@dataclass(frozen=True)
class ShuffleCards:
    """Shuffle these loose cards. Either all seats that were dealt to take part, in turn, or only
    the seats in `by`.

    Afterwards nobody knows the place of any of these pieces. Exception: a seat that shuffles alone
    can trace the pieces that it knew.
    """

    cards: tuple[Card, ...]
    # seats that shuffle; None: all. If all of these seats have left, all others shuffle
    by: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LookAt:
    """Show the pieces of loose cards to these seats only. Seats that have left are skipped."""

    cards: tuple[Card, ...]
    seats: tuple[int, ...]


@dataclass(frozen=True)
class RevealCards:
    """Show the pieces of these loose cards to everybody."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class OpenCard:
    """Show, at once, that a loose card is this piece. Only the seat that last looked at the card
    can do this, as part of its action.
    """

    card: Card
    piece: int


# operations on loose cards that rules may ask for without an action of a seat
CardOperation = ShuffleCards | LookAt | RevealCards
Operation = Look | Reveal | PutAway | Shuffle | Turn | CardOperation | OpenCard
