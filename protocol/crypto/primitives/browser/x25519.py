"""X25519 by libsodium."""

from protocol.crypto.primitives.browser.calls import function, result, text, unary

public_key = unary("x25519Public")
_shared_secret = function("x25519Shared")


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Return the shared secret. Raises: ValueError for a key of low order."""
    return result(_shared_secret(text(private), text(public)), "a key of low order")
