"""Boxes that a passphrase opens: argon2id (RFC 9106) and XSalsa20-Poly1305.

What one try costs, in passes and memory, is the caller's to choose and to bound before it calls.
"""

from protocol.crypto.primitives.backend import PassphraseBackend, load_backend

SALT_SIZE = 16  # bytes
NONCE_SIZE = 24  # bytes, in front of a box
TAG_SIZE = 16  # bytes

backend: PassphraseBackend = load_backend("passphrase")


class PassphraseBox:
    """The box of a passphrase, a salt and a cost: passes, and bytes of memory.

    Raises: ValueError for a salt of another length than 16 bytes, and for a cost that argon2id does
    not have.
    """

    def __init__(self, passphrase: bytes, salt: bytes, passes: int, memory: int) -> None:
        if len(salt) != SALT_SIZE:
            raise ValueError("a salt has 16 bytes")
        self._key = backend.derive_key(passphrase, salt, passes, memory)

    def seal(self, plaintext: bytes, nonce: bytes) -> bytes:
        """Encrypt under a nonce that is never used again: nonce, tag and ciphertext."""
        if len(nonce) != NONCE_SIZE:
            raise ValueError("a nonce has 24 bytes")
        return backend.seal(self._key, nonce, plaintext)

    def unseal(self, box: bytes) -> bytes:
        """Decrypt. Raises ValueError if the box does not open: another passphrase, or damage."""
        if len(box) < NONCE_SIZE + TAG_SIZE:
            raise ValueError("not a box")
        return backend.unseal(self._key, box)
