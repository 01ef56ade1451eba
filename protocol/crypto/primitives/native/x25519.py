"""X25519 by libsodium through PyNaCl."""

from nacl.bindings import crypto_scalarmult
from nacl.bindings import crypto_scalarmult_base as public_key
from nacl.exceptions import CryptoError

__all__ = ["public_key", "shared_secret"]


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Return the shared secret.

    Raises: ValueError for a key of low order, which PyNaCl reports as an unexpected error.
    """
    try:
        return crypto_scalarmult(private, public)
    except CryptoError:
        raise ValueError("a key of low order") from None
