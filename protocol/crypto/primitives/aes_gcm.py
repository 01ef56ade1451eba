"""AES-256-GCM (NIST SP 800-38D), with nonces of 12 bytes and tags of 16.

Added to what the backend checks: `cryptography` takes keys of 16 and 24 bytes and nonces of 8 to
128 bytes, too. Nobody counts the uses of a nonce; the caller must not use one twice with a key.
"""

from protocol.crypto.primitives.backend import AesGcmBackend, load_backend

KEY_SIZE = 32  # bytes
NONCE_SIZE = 12  # bytes
TAG_SIZE = 16  # bytes by which a ciphertext is longer than its plaintext

backend: AesGcmBackend = load_backend("aes_gcm")


class AesGcm:
    """The cipher of one key. Raises: ValueError unless the key has 32 bytes."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise ValueError("an AES-256 key has 32 bytes")
        self._cipher = backend.cipher(key)

    def encrypt(self, nonce: bytes, plaintext: bytes, associated: bytes | None = None) -> bytes:
        """Encrypt and authenticate. Raises ValueError unless the nonce has 12 bytes."""
        if len(nonce) != NONCE_SIZE:
            raise ValueError("a nonce has 12 bytes")
        return self._cipher.encrypt(nonce, plaintext, associated)

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes | None = None) -> bytes:
        """Authenticate and decrypt. Raises ValueError if the ciphertext or its nonce is not
        right.
        """
        if len(nonce) != NONCE_SIZE or len(sealed) < TAG_SIZE:
            raise ValueError("not a ciphertext")
        return self._cipher.decrypt(nonce, sealed, associated)
