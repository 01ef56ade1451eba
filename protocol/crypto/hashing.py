"""The one way fairdeal hashes and derives keys: labelled, with every field framed by its length."""

import hmac
from functools import lru_cache
from hashlib import sha256, shake_256

from protocol.crypto.primitives import hkdf

DOMAIN = "fairdeal/1"

Field = bytes | int | str


def encode_fields(label: str, *fields: Field) -> bytes:
    """Unambiguous bytes for a label and its fields: each is preceded by a type byte and a 4-byte
    length.

    Integers are unsigned 64-bit, text is UTF-8. Two different (label, fields) never give the same
    bytes.
    """
    framed = _begin(label)
    for field in fields:
        framed += _head(len(field)) + field if type(field) is bytes else _framed(field)
    return framed


@lru_cache(maxsize=256)
def _begin(label: str) -> bytes:
    """What all frames of a label begin with: labels are few, and frames many."""
    return _framed(DOMAIN) + _framed(label)


@lru_cache(maxsize=256)
def _head(length: int) -> bytes:
    """What stands before a byte string: most are as long as a key, a hash, a point or a
    signature.
    """
    return b"b" + length.to_bytes(4, "big")


def _framed(field: Field) -> bytes:
    if isinstance(field, bytes):
        return _head(len(field)) + field
    if isinstance(field, str):
        raw = field.encode()
        return b"s" + len(raw).to_bytes(4, "big") + raw
    return b"i\x00\x00\x00\x08" + field.to_bytes(8, "big")


def digest(label: str, *fields: Field) -> bytes:
    """SHA-256 of `encode_fields(label, *fields)`: 32 bytes."""
    return sha256(encode_fields(label, *fields)).digest()


def derive(secret: bytes, label: str, *context: Field, length: int = 32) -> bytes:
    """HKDF-HMAC-SHA-512 (RFC 5869) with no salt and `encode_fields(label, *context)` as info:
    `length` bytes.
    """
    return hkdf.derive(secret, encode_fields(label, *context), length)


def expand(label: str, *fields: Field, length: int) -> bytes:
    """SHAKE-256 (FIPS 202) of `encode_fields(label, *fields)`: `length` bytes. For much of it; a
    key is derived by `derive`.
    """
    return shake_256(encode_fields(label, *fields)).digest(length)


def constant_time_equal(left: bytes, right: bytes) -> bool:
    """Whether two byte strings are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(left, right)
