"""Boxes that a passphrase opens: argon2id (RFC 9106) and XSalsa20-Poly1305.

The caller chooses the cost of one attempt, in passes and memory, and must limit the cost before the
call.
"""

from protocol.crypto.primitives.backend import PassphraseBackend, load_backend

SALT_SIZE = 16  # bytes
NONCE_SIZE = 24  # bytes at the start of a box
TAG_SIZE = 16  # bytes

backend: PassphraseBackend = load_backend("passphrase")


class PassphraseBox:
    """Box for a passphrase, a salt and a cost: `passes`, and `memory` in bytes.

    Raises: ValueError for a salt of another length than 16 bytes, and for a cost outside argon2id's
    range.
    """

    def __init__(self, passphrase: bytes, salt: bytes, passes: int, memory: int) -> None:
        if len(salt) != SALT_SIZE:
            raise ValueError("a salt has 16 bytes")
        self._key = backend.derive_key(passphrase, salt, passes, memory)

    def seal(self, plaintext: bytes, nonce: bytes) -> bytes:
        """Encrypt under a nonce that is never used again. The result is nonce, tag and
        ciphertext.
        """
        if len(nonce) != NONCE_SIZE:
            raise ValueError("a nonce has 24 bytes")
        return backend.seal(self._key, nonce, plaintext)

    def unseal(self, box: bytes) -> bytes:
        """Decrypt. Raises: ValueError if the passphrase is wrong or the box is damaged."""
        if len(box) < NONCE_SIZE + TAG_SIZE:
            raise ValueError("not a box")
        return backend.unseal(self._key, box)
