"""ristretto255 (RFC 9496) over bytes; `protocol.crypto.group` has the types for it.

Points and scalars are valid when they reach the backend's arithmetic, because the types of
`protocol.crypto.group` check them once. So this module calls arithmetic without checks. Only
`is_valid_point` adds a check: libsodium ignores bit 255. Without the check every point would have a
second encoding, against RFC 9496, 4.3.1.
"""

from protocol.crypto.primitives.backend import Ristretto255Backend, load_backend

SIZE = 32  # bytes of an encoded point or scalar
WIDE_SIZE = 64  # bytes that are reduced to a scalar or mapped to a point, with a bias below 2^-128
FIELD_PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

backend: Ristretto255Backend = load_backend("ristretto255")


def is_valid_point(encoded: bytes) -> bool:
    """Check that `encoded` is the unique encoding of a point, the identity included."""
    return (
        len(encoded) == SIZE
        and not encoded[0] & 1
        and int.from_bytes(encoded, "little") < FIELD_PRIME
        and backend.is_valid_point(encoded)
    )
