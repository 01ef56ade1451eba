"""The one way fairdeal hashes and derives keys: labelled, with every field framed by its length."""

import hmac
from hashlib import sha256

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

DOMAIN = "fairdeal/1"

Field = bytes | int | str


def frame(label: str, *fields: Field) -> bytes:
    """Unambiguous bytes for a label and its fields: each is preceded by a type byte and a 4-byte length.

    Integers are unsigned 64-bit, text is UTF-8. Two different (label, fields) never give the same bytes.
    """
    parts = []
    for field in (DOMAIN, label, *fields):
        if isinstance(field, bytes):
            tag, raw = b"b", field
        elif isinstance(field, str):
            tag, raw = b"s", field.encode()
        else:
            tag, raw = b"i", field.to_bytes(8, "big")
        parts += [tag, len(raw).to_bytes(4, "big"), raw]
    return b"".join(parts)


def digest(label: str, *fields: Field) -> bytes:
    """SHA-256 of `frame(label, *fields)`: 32 bytes."""
    return sha256(frame(label, *fields)).digest()


def derive(secret: bytes, label: str, *context: Field, length: int = 32) -> bytes:
    """HKDF-HMAC-SHA-512 (RFC 5869) with no salt and `frame(label, *context)` as info: `length` bytes."""
    return HKDF(SHA512(), length, salt=None, info=frame(label, *context)).derive(secret)


def same(left: bytes, right: bytes) -> bool:
    """Whether two byte strings are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(left, right)
