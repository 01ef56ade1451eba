"""AES-256-GCM (NIST SP 800-38D), with nonces of 12 bytes and tags of 16.

Checks beyond the backend's: `cryptography` also accepts keys of 16 and 24 bytes, and nonces of 8 to
128 bytes. No module counts the uses of a nonce, so the caller must never use a nonce twice with one
key.
"""

from protocol.crypto.primitives.backend import AesGcmBackend, load_backend

KEY_SIZE = 32  # bytes
NONCE_SIZE = 12  # bytes
TAG_SIZE = 16  # extra bytes of a ciphertext over its plaintext

backend: AesGcmBackend = load_backend("aes_gcm")


class AesGcm:
    """Cipher with a fixed key. Raises: ValueError unless the key has 32 bytes."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise ValueError("an AES-256 key has 32 bytes")
        self._cipher = backend.cipher(key)

    def encrypt(self, nonce: bytes, plaintext: bytes, associated: bytes | None = None) -> bytes:
        """Encrypt and authenticate. Raises: ValueError unless the nonce has 12 bytes."""
        if len(nonce) != NONCE_SIZE:
            raise ValueError("a nonce has 12 bytes")
        return self._cipher.encrypt(nonce, plaintext, associated)

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes | None = None) -> bytes:
        """Authenticate and decrypt. Raises: ValueError if the ciphertext or the nonce is wrong."""
        if len(nonce) != NONCE_SIZE or len(sealed) < TAG_SIZE:
            raise ValueError("not a ciphertext")
        return self._cipher.decrypt(nonce, sealed, associated)
