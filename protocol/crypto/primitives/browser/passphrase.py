"""Argon2id and XSalsa20-Poly1305 by libsodium."""

from protocol.crypto.primitives.browser.calls import function, result, text

_argon2id = function("argon2id")
_seal, _open = function("secretboxSeal"), function("secretboxOpen")
_NONCE_SIZE = 24  # bytes


def derive_key(passphrase: bytes, salt: bytes, passes: int, memory: int) -> bytes:
    """Derive a key. Raises: ValueError for a cost that libsodium refuses, or that does not fit into
    the memory of the tab.
    """
    found = _argon2id(text(passphrase), text(salt), passes, memory)
    return result(found, "a cost that argon2id does not have here")


def seal(key: bytes, nonce: bytes, plaintext: bytes) -> bytes:
    """Encrypt. The result is the nonce, then tag and ciphertext."""
    return nonce + result(_seal(text(key), text(nonce), text(plaintext)))


def unseal(key: bytes, box: bytes) -> bytes:
    """Decrypt. Raises: ValueError if the box does not open."""
    nonce, sealed = box[:_NONCE_SIZE], box[_NONCE_SIZE:]
    if len(nonce) < _NONCE_SIZE:
        raise ValueError("the box does not open")
    return result(_open(text(key), text(nonce), text(sealed)), "the box does not open")
