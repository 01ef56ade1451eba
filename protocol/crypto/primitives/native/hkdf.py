"""HKDF-HMAC-SHA-512 by OpenSSL through `cryptography`."""

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

__all__ = ["derive"]


def derive(secret: bytes, info: bytes, length: int) -> bytes:
    """Derive `length` bytes."""
    return HKDF(SHA512(), length, salt=None, info=info).derive(secret)
