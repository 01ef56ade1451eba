"""HKDF-HMAC-SHA-512 by libsodium."""

from protocol.crypto.primitives.browser.calls import function, result, text

_hkdf = function("hkdf")


def derive(secret: bytes, info: bytes, length: int) -> bytes:
    """Derive `length` bytes."""
    return result(_hkdf(text(secret), text(info), length))
