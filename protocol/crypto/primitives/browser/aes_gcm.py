"""AES-256-GCM by @noble/ciphers. WebCrypto has it too, but only for callers that wait."""

from protocol.crypto.primitives.browser.calls import function, result, text

_cipher = function("aesCipher")


class cipher:
    """Cipher with a fixed key; implements `backend.Cipher`."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        self._cipher = _cipher(text(key))

    def encrypt(self, nonce: bytes, plaintext: bytes, associated: bytes | None) -> bytes:
        """Encrypt. The result is the ciphertext, then the tag."""
        return result(self._cipher.seal(text(nonce), text(plaintext), text(associated or b"")))

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes | None) -> bytes:
        """Authenticate and decrypt. Raises: ValueError if the tag does not fit."""
        found = self._cipher.open(text(nonce), text(sealed), text(associated or b""))
        return result(found, "the tag does not fit")
