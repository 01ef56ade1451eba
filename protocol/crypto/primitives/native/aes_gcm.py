"""AES-256-GCM by OpenSSL through `cryptography`."""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["cipher"]


class cipher:
    """Cipher with a fixed key; implements `backend.Cipher`."""

    __slots__ = ("_decrypt", "encrypt")

    def __init__(self, key: bytes) -> None:
        aead = AESGCM(key)
        self.encrypt = aead.encrypt
        self._decrypt = aead.decrypt

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes | None) -> bytes:
        """Authenticate and decrypt. Raises: ValueError if the tag does not fit."""
        try:
            return self._decrypt(nonce, sealed, associated)
        except InvalidTag:
            raise ValueError("the tag does not fit") from None
