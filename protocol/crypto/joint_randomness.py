"""Coin flips at a distance: randomness that all seats make together and no seat can choose (Blum,
1981).

Every seat commits to 32 fresh random bytes. Once all commitments are in the log, all seats open
them. The result is a function of all of them, so it is uniform if one seat's bytes are.

The last seat to open its bytes can compute the result before the others. It can then only refuse to
open, which ends the match before it has begun and names that seat.
"""

from collections.abc import Sequence

from protocol.crypto.hashing import digest
from protocol.crypto.seeded_random import SeededRandom

NONCE = 32  # bytes that a seat contributes


def nonce_commitment(match_id: bytes, seat: int, nonce: bytes) -> bytes:
    """Return the commitment that a seat posts before any nonce is opened; the nonce is its own
    salt.
    """
    return digest("roster nonce", match_id, seat, nonce)


def uniform_below(stream: SeededRandom, bound: int) -> int:
    """Return a uniform integer from 0 to `bound` − 1.

    Draws the fewest bits that suffice, and draws again while the result is too large.
    """
    bits = (bound - 1).bit_length()
    while (value := stream.getrandbits(bits)) >= bound:
        pass
    return value


class JointRandomness:
    """Joint randomness of one match: equal calls in equal order give equal results in every
    program.
    """

    def __init__(self, match_id: bytes, nonces: Sequence[bytes]) -> None:
        """Start from the nonces of all seats, in order, each already checked against its
        commitment.
        """
        self._stream = SeededRandom(digest("joint chance", match_id, *nonces))

    def uniform_below(self, bound: int) -> int:
        """Return a uniform integer from 0 to `bound` − 1."""
        return uniform_below(self._stream, bound)

    def coin(self) -> bool:
        """Return True or False with equal odds."""
        return bool(self.uniform_below(2))

    def permutation(self, count: int) -> tuple[int, ...]:
        """Return 0 … count − 1 in uniform random order (Fisher and Yates, from the last place
        down).
        """
        order = list(range(count))
        for place in range(count - 1, 0, -1):
            other = self.uniform_below(place + 1)
            order[place], order[other] = order[other], order[place]
        return tuple(order)
