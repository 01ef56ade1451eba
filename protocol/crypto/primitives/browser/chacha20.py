"""ChaCha20 by libsodium."""

from protocol.crypto.primitives.browser.calls import function, result, text

_xor = function("chacha20")
_COUNTER_SIZE, _BLOCK_SIZE = 4, 64  # bytes


class key_stream:
    """Stream at a position; implements `backend.KeyStream`. The first four bytes of the nonce are
    the counter.
    """

    __slots__ = ("_counter", "_key", "_nonce", "_position")

    def __init__(self, key: bytes, nonce: bytes) -> None:
        self._key = text(key)
        self._counter = int.from_bytes(nonce[:_COUNTER_SIZE], "little")
        self._nonce = text(nonce[_COUNTER_SIZE:])
        self._position = 0  # in bytes

    def update(self, data: bytes) -> bytes:
        """XOR `data` with the next bytes of the stream.

        libsodium starts at a block, so the used bytes of the present block are made again.
        """
        blocks, used = divmod(self._position, _BLOCK_SIZE)
        self._position += len(data)
        padded = text(bytes(used) + data)
        return result(_xor(self._key, self._nonce, self._counter + blocks, padded))[used:]
