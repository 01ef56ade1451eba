"""Ed25519 (RFC 8032), with one strict verifier.

Added to what the backend checks: the key must be the canonical encoding of a point of the
prime-order group other than the identity. Some libraries accept the identity as a key, for which
one signature fits every message; then a log that one program takes could be one that another
refuses. PyNaCl checks no lengths in its bindings, so they are checked here.
"""

from functools import lru_cache

from protocol.crypto.primitives.backend import Ed25519Backend, load_backend

SEED_SIZE = 32  # bytes
PUBLIC_SIZE = 32  # bytes
SIGNATURE_SIZE = 64  # bytes

backend: Ed25519Backend = load_backend("ed25519")


class SigningKey:
    """A private key made from a seed of 32 bytes. `public` is its public key, 32 bytes.

    Raises: ValueError if the seed has another length.
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_SIZE:
            raise ValueError("an Ed25519 seed has 32 bytes")
        self.seed = seed
        self.public, self._secret_key = backend.key_pair(seed)

    def sign(self, message: bytes) -> bytes:
        """Sign a message. The signature has 64 bytes and is the same each time."""
        return backend.sign(self._secret_key, message)

    def __repr__(self) -> str:
        return "SigningKey(...)"


@lru_cache(maxsize=4096)
def is_valid_key(public: bytes) -> bool:
    """Look whether a public key is canonical and of the prime-order group, and not the identity."""
    return len(public) == PUBLIC_SIZE and backend.is_valid_point(public)


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Check a signature. False as well for a key that `is_valid_key` refuses."""
    if not is_valid_key(public) or len(signature) != SIGNATURE_SIZE:
        return False
    return backend.verify(public, signature, message)
