"""X25519 (RFC 7748): key pairs and shared secrets.

Checks beyond the backend's: PyNaCl reads 32 bytes without checking lengths, so this module checks
them. A public key of low order is refused, because everybody knows its shared secret. A public key
above the field's prime is accepted, as the RFC demands. Callers that need a unique encoding for
each key use `is_canonical`.
"""

from protocol.crypto.primitives.backend import X25519Backend, load_backend

KEY_SIZE = 32  # bytes of a private key, a public key and a shared secret
FIELD_PRIME = 2**255 - 19
_NO_SECRET = bytes(KEY_SIZE)

backend: X25519Backend = load_backend("x25519")


def public_key(private: bytes) -> bytes:
    """Return the public key of a private key. Raises: ValueError for a wrong length."""
    if len(private) != KEY_SIZE:
        raise ValueError("an X25519 key has 32 bytes")
    return backend.public_key(private)


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Return the shared secret of two keys. Raises: ValueError for a wrong length or a low
    order.
    """
    if len(private) != KEY_SIZE or len(public) != KEY_SIZE:
        raise ValueError("an X25519 key has 32 bytes")
    secret = backend.shared_secret(private, public)
    if secret == _NO_SECRET:
        raise ValueError("a key of low order")
    return secret


def is_canonical(public: bytes) -> bool:
    """Check that `public` is the unique encoding of a field element."""
    return len(public) == KEY_SIZE and int.from_bytes(public, "little") < FIELD_PRIME
