"""ChaCha20 by OpenSSL through `cryptography`."""

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

__all__ = ["key_stream"]


def key_stream(key: bytes, nonce: bytes) -> CipherContext:
    """Start a stream; the first four bytes of the nonce are the counter."""
    return Cipher(ChaCha20(key, nonce), mode=None).encryptor()
