"""Reproducible randomness: a stream of bytes from one secret seed and a place.

A private half draws all its secrets from a `SeededRandom`. Before each answer it seeks the stream
to the head of the log that it answers. The half is therefore a pure function of its seed and the
log. One 32-byte seed, saved before the first entry, survives a crash: reading the log again gives
the same keys, nonces and answers. At another head, as in a forked log, all drawn values are
independent of earlier ones. Therefore no nonce serves two statements.
"""

from random import Random
from typing import Any, NoReturn

from protocol.crypto.hashing import Field, derive
from protocol.crypto.primitives.backend import KeyStream
from protocol.crypto.primitives.chacha20 import key_stream

SEED = 32  # bytes
_MANTISSA = 53  # bits of a float


class SeededRandom(Random):
    """`random.Random` over ChaCha20 (RFC 8439), keyed by HKDF(seed, place); `repr` hides the
    seed.
    """

    def __init__(self, seed: bytes, *place: Field) -> None:
        """Start from a seed of 32 bytes from the operating system. Raises: ValueError for another
        length.
        """
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
        """Start the stream of this place from its beginning; streams of different places are
        independent.
        """
        # no stream yet: at most entries of a log, no bytes are drawn
        self._place = place
        self._stream = None

    def randbytes(self, n: int) -> bytes:
        """Return the next `n` bytes."""
        if self._stream is None:
            key = derive(self._seed, "stream", *self._place)
            self._stream = key_stream(key)
        return self._stream.update(bytes(n))

    def getrandbits(self, k: int) -> int:
        """Return the next `k` bits, and consume whole bytes."""
        size = (k + 7) // 8
        return int.from_bytes(self.randbytes(size), "big") >> (size * 8 - k)

    def random(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return self.getrandbits(_MANTISSA) / (1 << _MANTISSA)

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the constructor sets the seed once and for all."""

    def getstate(self) -> NoReturn:
        """Refuse, because a copied state could be used twice."""
        raise NotImplementedError

    def setstate(self, state: Any) -> NoReturn:
        """Refuse, as `getstate` does."""
        raise NotImplementedError
