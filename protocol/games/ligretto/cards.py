"""Cards of Ligretto: forty for each seat, in red, yellow, green and blue, from 1 to 10. The back of
a card shows its seat.

A card of seat s is piece 40·s + 10·colour + number − 1.
"""

from typing import Final

from protocol.games import Piece

COLOURS: Final = ("red", "yellow", "green", "blue")
# highest number of a colour; also the number of cards that completes a shared pile
HIGHEST: Final = 10
DECK: Final = len(COLOURS) * HIGHEST  # cards per seat
STOCK: Final = 10  # cards in a newly dealt stock, which occupies the first places of the deck
BLOCK: Final = 3  # cards turned over by one flip


def colour(piece: Piece) -> int:
    """Colour of a card, as an index into `COLOURS`."""
    return piece % DECK // HIGHEST


def number(piece: Piece) -> int:
    """Number of a card, 1 to 10."""
    return piece % HIGHEST + 1


def fits_post(card: Piece, below: Piece) -> bool:
    """Check whether a card may lie on another in a post pile of Dutch Blitz: the next lower number,
    and a boy (red, blue) on a girl (yellow, green) or a girl on a boy.
    """
    return number(card) + 1 == number(below) and _is_boy(card) is not _is_boy(below)


def _is_boy(piece: Piece) -> bool:
    return COLOURS[colour(piece)] in ("red", "blue")


def names(seats: int) -> tuple[str, ...]:
    """Make a name for each piece."""
    return tuple(
        f"{colour} {number} of seat {seat + 1}"
        for seat in range(seats)
        for colour in COLOURS
        for number in range(1, HIGHEST + 1)
    )
