"""ristretto255 (RFC 9496) over bytes. `protocol.crypto.group` has the types for it.

Points and scalars that reach the backend's arithmetic are valid by construction, because the types
of `protocol.crypto.group` check them once. So arithmetic is called without another look, and only
`is_valid_point` adds a check here: libsodium does not look at bit 255, by which every point would
have a second encoding (section 4.3.1 has one only).
"""

from protocol.crypto.primitives.backend import Ristretto255Backend, load_backend

SIZE = 32  # bytes of an encoded point or scalar
WIDE_SIZE = 64  # bytes that are reduced to a scalar or mapped to a point, with a bias below 2^-128
FIELD_PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

backend: Ristretto255Backend = load_backend("ristretto255")


def is_valid_point(encoded: bytes) -> bool:
    """Look whether these bytes are the one encoding of a point, the identity included."""
    return (
        len(encoded) == SIZE
        and not encoded[0] & 1
        and int.from_bytes(encoded, "little") < FIELD_PRIME
        and backend.is_valid_point(encoded)
    )
