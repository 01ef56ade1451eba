"""Domino tiles: the order in which they are numbered, their names, and what fits where.

Tile (high, low) has the index high·(high+1)/2 + low: 0-0, 1-0, 1-1, 2-0, 2-1, 2-2, 3-0 … A tile has
the same index in every set, and a set up to `highest` is the first (highest+1)·(highest+2)/2
indices.
"""

from collections.abc import Iterable

from protocol.games import Piece

Tile = tuple[int, int]  # (high, low) as a piece; (left, right) as it lies in the line
Ends = tuple[int, int]  # the open numbers: left, right
Line = tuple[Tile, ...]  # left to right, each tile as it lies


def tiles(highest: int) -> tuple[Tile, ...]:
    """All tiles of the set up to `highest`, by index."""
    return tuple((high, low) for high in range(highest + 1) for low in range(high + 1))


def index(one: int, other: int) -> Piece:
    """The index of the tile with these two numbers, in any order."""
    high, low = max(one, other), min(one, other)
    return high * (high + 1) // 2 + low


def name(tile: Tile) -> str:
    """A tile's printable name, higher number first: "6-4"."""
    return f"{max(tile)}-{min(tile)}"


def pips(set_: tuple[Tile, ...], pieces: Iterable[Piece]) -> int:
    """The sum of all numbers on these pieces."""
    return sum(sum(set_[piece]) for piece in pieces)


def call_order(set_: tuple[Tile, ...]) -> tuple[Piece, ...]:
    """The tiles that may lead a first hand, best first: doubles, then by pips, then by high
    number.
    """

    def rank(piece: Piece) -> tuple[bool, int, int]:
        high, low = set_[piece]
        return (high == low, high + low, high)

    return tuple(sorted(range(len(set_)), key=rank, reverse=True))


def open_ends(tile: Tile, ends: Ends | None) -> tuple[int, ...]:
    """Where this tile may be played: 0 left, 1 right; only 0 where both would give the same
    position.
    """
    if ends is None:
        return (0,)
    left, right = ends
    if left == right:
        return (0,) if left in tile else ()
    return tuple(end for end, number in enumerate(ends) if number in tile)


def lay(line: Line, tile: Tile, end: int) -> Line:
    """The line after this tile is laid at an end where it fits; the first lies with its high number
    left.
    """
    high, low = tile
    if not line:
        return (tile,)
    if end == 0:
        return ((low, high) if high == line[0][0] else (high, low), *line)
    return (*line, (high, low) if high == line[-1][1] else (low, high))
