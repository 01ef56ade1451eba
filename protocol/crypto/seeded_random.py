"""Randomness that can be had again: a stream of bytes from one secret seed and the place that it is
for.

A private half that draws all its secrets from a `SeededRandom`, turned before each answer to the
head of the log that it answers, is a pure function of its seed and the log. So one 32-byte seed on
disk before the first entry is all that a crash must not take: reading the log again gives the same
keys, nonces and answers, byte for byte. At another head (a forked log, say) everything drawn is
independent of what was drawn before, so no nonce serves two statements.
"""

from random import Random
from typing import Any, NoReturn

from protocol.crypto.hashing import Field, derive
from protocol.crypto.primitives.backend import KeyStream
from protocol.crypto.primitives.chacha20 import key_stream

SEED = 32  # bytes
_MANTISSA = 53  # bits of a float


class SeededRandom(Random):
    """A `random.Random` over ChaCha20 (RFC 8439) under HKDF(seed, place). Not shown by `repr`."""

    def __init__(self, seed: bytes, *place: Field) -> None:
        """`seed`: 32 bytes from the operating system. Raises: ValueError if it is not that long."""
        if len(seed) != SEED:
            raise ValueError("a stream's seed has 32 bytes")
        self._seed = seed
        self._place: tuple[Field, ...]
        self._stream: KeyStream | None
        self.seek(*place)
        super().__init__()

    def __repr__(self) -> str:
        return "Stream(...)"

    def seek(self, *place: Field) -> None:
        """Begin the stream of this place, from its start. Two places' streams have nothing to do
        with each other.
        """
        self._place, self._stream = place, None  # at most entries of a log nothing is drawn

    def randbytes(self, n: int) -> bytes:
        """The next `n` bytes."""
        if self._stream is None:
            key = derive(self._seed, "stream", *self._place)
            self._stream = key_stream(key)
        return self._stream.update(bytes(n))

    def getrandbits(self, k: int) -> int:
        """The next `k` bits; whole bytes are used up."""
        size = (k + 7) // 8
        return int.from_bytes(self.randbytes(size), "big") >> (size * 8 - k)

    def random(self) -> float:
        """A float in [0, 1) of 53 bits."""
        return self.getrandbits(_MANTISSA) / (1 << _MANTISSA)

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the seed was given once."""

    def getstate(self) -> NoReturn:
        """Never: a state that could be copied could be used twice."""
        raise NotImplementedError

    def setstate(self, state: Any) -> NoReturn:
        """Never."""
        raise NotImplementedError
