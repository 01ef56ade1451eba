"""Domino tiles: their numbering, their names, and the ends where they fit.

Tile (high, low) has the index high·(high+1)/2 + low: 0-0, 1-0, 1-1, 2-0, 2-1, 2-2, 3-0 … A tile has
the same index in every set. A set up to `highest` consists of the first (highest+1)·(highest+2)/2
indices.
"""

from collections.abc import Iterable

from protocol.games import Piece

Tile = tuple[int, int]  # (high, low) for a piece; (left, right) for a tile in the line
Ends = tuple[int, int]  # the open numbers: left, right
Line = tuple[Tile, ...]  # left to right, each tile in the direction in which it lies


def tiles(highest: int) -> tuple[Tile, ...]:
    """List all tiles of the set up to `highest`, by index."""
    return tuple((high, low) for high in range(highest + 1) for low in range(high + 1))


def index(one: int, other: int) -> Piece:
    """Index of the tile with these two numbers, in any order."""
    high, low = max(one, other), min(one, other)
    return high * (high + 1) // 2 + low


def name(tile: Tile) -> str:
    """Printable name of a tile, higher number first: "6-4"."""
    return f"{max(tile)}-{min(tile)}"


def pips(set_: tuple[Tile, ...], pieces: Iterable[Piece]) -> int:
    """Sum of all numbers on these pieces."""
    return sum(sum(set_[piece]) for piece in pieces)


def call_order(set_: tuple[Tile, ...]) -> tuple[Piece, ...]:
    """List the tiles in the order in which they may lead a first hand, best first: doubles, then by
    pips, then by high number.
    """

    def rank(piece: Piece) -> tuple[bool, int, int]:
        high, low = set_[piece]
        return (high == low, high + low, high)

    return tuple(sorted(range(len(set_)), key=rank, reverse=True))


def open_ends(tile: Tile, ends: Ends | None) -> tuple[int, ...]:
    """Ends where this tile may be played: 0 left, 1 right. Only 0 if both would give the same
    position.
    """
    if ends is None:
        return (0,)
    left, right = ends
    if left == right:
        return (0,) if left in tile else ()
    return tuple(end for end, number in enumerate(ends) if number in tile)


def lay(line: Line, tile: Tile, end: int) -> Line:
    """Return the line after laying a tile at an end where it fits. The first tile lies with its
    high number left.
    """
    high, low = tile
    if not line:
        return (tile,)
    if end == 0:
        return ((low, high) if high == line[0][0] else (high, low), *line)
    return (*line, (high, low) if high == line[-1][1] else (low, high))
