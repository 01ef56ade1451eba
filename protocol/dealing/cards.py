"""What the dealings over the group share: the point that stands for each piece, and a holder that is no seat."""

from functools import lru_cache

from protocol.crypto.group import Point, hash_to_point
from protocol.games import Piece

NOBODY = -2  # as the holder of what was put away; `EVERYBODY` is that of what was turned up


@lru_cache(maxsize=8)
def faces(pieces: int) -> tuple[Point, ...]:
    """M_k for every piece: public points with no known relation between any two, the same in every deal."""
    return tuple(hash_to_point("piece", piece) for piece in range(pieces))


@lru_cache(maxsize=8)
def pieces_by_face(pieces: int) -> dict[Point, Piece]:
    """The piece of each such point."""
    return {face: piece for piece, face in enumerate(faces(pieces))}
