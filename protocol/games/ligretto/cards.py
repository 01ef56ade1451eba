"""The cards: forty for each seat, red, yellow, green and blue, each from 1 to 10; the back tells
whose a card is.

A card of seat s is piece 40·s + 10·colour + number − 1.
"""

from typing import Final

from protocol.games import Piece

COLOURS: Final = ("red", "yellow", "green", "blue")
HIGHEST: Final = 10  # number of a colour; also how many cards close a shared pile
DECK: Final = len(COLOURS) * HIGHEST  # cards of a seat
STOCK: Final = 10  # cards of a stock when it is dealt: the first places of the deck
BLOCK: Final = 3  # cards that a flip turns over


def colour(piece: Piece) -> int:
    """Its place in `COLOURS`."""
    return piece % DECK // HIGHEST


def number(piece: Piece) -> int:
    """1 to 10."""
    return piece % HIGHEST + 1


def names(seats: int) -> tuple[str, ...]:
    """A name for each piece."""
    return tuple(
        f"{colour} {number} of seat {seat + 1}"
        for seat in range(seats)
        for colour in COLOURS
        for number in range(1, HIGHEST + 1)
    )
