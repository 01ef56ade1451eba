"""X25519 (RFC 7748): key pairs and shared secrets.

Added to what the backend checks: PyNaCl reads 32 bytes from wherever it is pointed to, so lengths
are checked here. A public key of low order, with which anybody knows the secret, is refused.
A public key above the field's prime is accepted, as the RFC demands; who needs one encoding for
each key asks `is_canonical`.
"""

from protocol.crypto.primitives.backend import X25519Backend, load_backend

KEY_SIZE = 32  # bytes of a private key, a public key and a shared secret
FIELD_PRIME = 2**255 - 19
_NO_SECRET = bytes(KEY_SIZE)

backend: X25519Backend = load_backend("x25519")


def public_key(private: bytes) -> bytes:
    """Compute the public key of a private one. Raises ValueError for a wrong length."""
    if len(private) != KEY_SIZE:
        raise ValueError("an X25519 key has 32 bytes")
    return backend.public_key(private)


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Compute the secret that two keys share. Raises ValueError for a wrong length or low order."""
    if len(private) != KEY_SIZE or len(public) != KEY_SIZE:
        raise ValueError("an X25519 key has 32 bytes")
    secret = backend.shared_secret(private, public)
    if secret == _NO_SECRET:
        raise ValueError("a key of low order")
    return secret


def is_canonical(public: bytes) -> bool:
    """Look whether these bytes are the one encoding of a field element."""
    return len(public) == KEY_SIZE and int.from_bytes(public, "little") < FIELD_PRIME
