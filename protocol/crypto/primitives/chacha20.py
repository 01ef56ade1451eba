"""ChaCha20 (RFC 8439) as a stream of bytes from a key, without authentication."""

from protocol.crypto.primitives.backend import ChaCha20Backend, KeyStream, load_backend

KEY_SIZE = 32  # bytes
_NONCE = bytes(16)  # block counter and nonce, always zero: each key has one stream

backend: ChaCha20Backend = load_backend("chacha20")


def key_stream(key: bytes) -> KeyStream:
    """Start the only stream of a key, at block 0. Raises: ValueError unless the key has 32
    bytes.
    """
    if len(key) != KEY_SIZE:
        raise ValueError("a ChaCha20 key has 32 bytes")
    return backend.key_stream(key, _NONCE)
