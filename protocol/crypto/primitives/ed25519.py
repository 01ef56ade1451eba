"""Ed25519 (RFC 8032) with one strict verifier.

Checks beyond the backend's: the key must be the canonical encoding of a point of the prime-order
group, and not the identity. Some libraries accept the identity as a key, for which one signature
fits every message. Then one program could accept a log that another program refuses. PyNaCl's
bindings check no lengths, so this module checks them.
"""

from functools import lru_cache

from protocol.crypto.primitives.backend import Ed25519Backend, load_backend

SEED_SIZE = 32  # bytes
PUBLIC_SIZE = 32  # bytes
SIGNATURE_SIZE = 64  # bytes

backend: Ed25519Backend = load_backend("ed25519")


class SigningKey:
    """Private key from a seed of 32 bytes; `public` is its public key of 32 bytes.

    Raises: ValueError if the seed has another length.
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_SIZE:
            raise ValueError("an Ed25519 seed has 32 bytes")
        self.seed = seed
        self.public, self._secret_key = backend.key_pair(seed)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message: 64 bytes, the same for each call."""
        return backend.sign(self._secret_key, message)

    def __repr__(self) -> str:
        return "SigningKey(...)"


@lru_cache(maxsize=4096)
def is_valid_key(public: bytes) -> bool:
    """Check that `public` is the canonical encoding of a point of the prime-order group, and not
    the identity.
    """
    return len(public) == PUBLIC_SIZE and backend.is_valid_point(public)


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Check a signature. A key that `is_valid_key` refuses gives False as well."""
    if not is_valid_key(public) or len(signature) != SIGNATURE_SIZE:
        return False
    return backend.verify(public, signature, message)
