"""Argon2id and XSalsa20-Poly1305 by libsodium through PyNaCl."""

from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id
from nacl.secret import SecretBox

__all__ = ["derive_key", "seal", "unseal"]


def derive_key(passphrase: bytes, salt: bytes, passes: int, memory: int) -> bytes:
    """Derive a key. Raises: ValueError for a cost that libsodium refuses."""
    try:
        return argon2id.kdf(SecretBox.KEY_SIZE, passphrase, salt, passes, memory)
    except CryptoError as error:
        raise ValueError("a cost that argon2id does not have") from error


def seal(key: bytes, nonce: bytes, plaintext: bytes) -> bytes:
    """Encrypt. The result is the nonce, then tag and ciphertext."""
    return bytes(SecretBox(key).encrypt(plaintext, nonce))


def unseal(key: bytes, box: bytes) -> bytes:
    """Decrypt. Raises: ValueError if the box does not open."""
    try:
        return SecretBox(key).decrypt(box)
    except CryptoError:
        raise ValueError("the box does not open") from None
