"""HKDF with HMAC-SHA-512 (RFC 5869), without salt."""

from protocol.crypto.primitives.backend import HkdfBackend, load_backend

MAX_LENGTH = 255 * 64  # bytes of one call (RFC 5869, 2.3)

backend: HkdfBackend = load_backend("hkdf")


def derive(secret: bytes, info: bytes, length: int) -> bytes:
    """Derive `length` bytes. Raises: ValueError for a length below 1 or above `MAX_LENGTH`."""
    if not 1 <= length <= MAX_LENGTH:
        raise ValueError("HKDF gives 1 to 16,320 bytes")
    return backend.derive(secret, info, length)
