"""Hashing and key derivation for all of fairdeal: every hash has a label, and a length before each
field.
"""

import hmac
from functools import lru_cache
from hashlib import sha256, shake_256

from protocol.crypto.primitives import hkdf

DOMAIN = "fairdeal/1"

Field = bytes | int | str


def encode_fields(label: str, *fields: Field) -> bytes:
    """Encode a label and its fields; a type byte and a 4-byte length precede each field.

    Integers are unsigned with 64 bits; text is UTF-8. Different (label, fields) never give the same
    bytes.
    """
    framed = _label_prefix(label)
    for field in fields:
        framed += (
            _bytes_header(len(field)) + field if type(field) is bytes else _encode_field(field)
        )
    return framed


@lru_cache(maxsize=256)
def _label_prefix(label: str) -> bytes:
    """Return the first bytes of all encodings with a label; cached, because labels are few."""
    return _encode_field(DOMAIN) + _encode_field(label)


@lru_cache(maxsize=256)
def _bytes_header(length: int) -> bytes:
    """Return the bytes before a byte string; cached, because most byte strings have one of few
    lengths.
    """
    return b"b" + length.to_bytes(4, "big")


def _encode_field(field: Field) -> bytes:
    if isinstance(field, bytes):
        return _bytes_header(len(field)) + field
    if isinstance(field, str):
        raw = field.encode()
        return b"s" + len(raw).to_bytes(4, "big") + raw
    return b"i\x00\x00\x00\x08" + field.to_bytes(8, "big")


def digest(label: str, *fields: Field) -> bytes:
    """Return SHA-256 of `encode_fields(label, *fields)`: 32 bytes."""
    return sha256(encode_fields(label, *fields)).digest()


def authenticate(key: bytes, label: str, *fields: Field) -> bytes:
    """Return the MAC of `encode_fields(label, *fields)`: 32 bytes of HMAC-SHA-256 (RFC 2104)."""
    return hmac.digest(key, encode_fields(label, *fields), "sha256")


def derive(secret: bytes, label: str, *context: Field, length: int = 32) -> bytes:
    """Return `length` bytes of HKDF-HMAC-SHA-512 (RFC 5869).

    The salt is empty, and `info` is `encode_fields(label, *context)`.
    """
    return hkdf.derive(secret, encode_fields(label, *context), length)


def expand(label: str, *fields: Field, length: int) -> bytes:
    """Return `length` bytes of SHAKE-256 (FIPS 202) of `encode_fields(label, *fields)`.

    Meant for long outputs; derive keys with `derive`.
    """
    return shake_256(encode_fields(label, *fields)).digest(length)


def constant_time_equal(left: bytes, right: bytes) -> bool:
    """Compare two byte strings in a time that does not depend on the place of a difference."""
    return hmac.compare_digest(left, right)
