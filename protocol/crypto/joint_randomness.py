"""Coin flips at a distance: chance that all seats make together and none can choose (Blum, 1981).

Every seat commits to 32 fresh random bytes; once all commitments stand in the log, all open them.
What comes out is a function of all of them, so it is even if one seat's bytes are. The last to open
knows the outcome before the others: it can refuse to open, which ends the match before it has begun
and names that seat, and nothing else.
"""

from collections.abc import Sequence

from protocol.crypto.hashing import digest
from protocol.crypto.seeded_random import SeededRandom

NONCE = 32  # bytes that a seat contributes


def nonce_commitment(match_id: bytes, seat: int, nonce: bytes) -> bytes:
    """What a seat posts before any seat opens its nonce, which is its own salt."""
    return digest("roster nonce", match_id, seat, nonce)


def uniform_below(stream: SeededRandom, bound: int) -> int:
    """An even integer from 0 to `bound` − 1: the fewest bits that will do, drawn again while they
    are too large.
    """
    bits = (bound - 1).bit_length()
    while (value := stream.getrandbits(bits)) >= bound:
        pass
    return value


class JointRandomness:
    """The joint randomness of one match. The same questions in the same order get the same answers
    everywhere.
    """

    def __init__(self, match_id: bytes, nonces: Sequence[bytes]) -> None:
        """`nonces`: of all seats, in their order, each checked against its commitment."""
        self._stream = SeededRandom(digest("joint chance", match_id, *nonces))

    def uniform_below(self, bound: int) -> int:
        """An even integer from 0 to `bound` − 1."""
        return uniform_below(self._stream, bound)

    def coin(self) -> bool:
        """Heads or tails."""
        return bool(self.uniform_below(2))

    def permutation(self, count: int) -> tuple[int, ...]:
        """0 … count − 1 in an even order (Fisher and Yates, from the last place down)."""
        order = list(range(count))
        for place in range(count - 1, 0, -1):
            other = self.uniform_below(place + 1)
            order[place], order[other] = order[other], order[place]
        return tuple(order)
