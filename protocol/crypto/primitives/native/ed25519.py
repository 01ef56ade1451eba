"""Ed25519 by libsodium through PyNaCl."""

from nacl.bindings import crypto_core_ed25519_add as add
from nacl.bindings import crypto_core_ed25519_is_valid_point as is_valid_point
from nacl.bindings import crypto_scalarmult_ed25519_base_noclamp as times_base
from nacl.bindings import crypto_sign, crypto_sign_open
from nacl.bindings import crypto_sign_seed_keypair as key_pair
from nacl.exceptions import CryptoError

__all__ = ["add", "is_valid_point", "key_pair", "sign", "times_base", "verify"]

_SIGNATURE_SIZE = 64  # bytes


def sign(secret_key: bytes, message: bytes) -> bytes:
    """Return the signature, without the message that PyNaCl appends to it."""
    return crypto_sign(message, secret_key)[:_SIGNATURE_SIZE]


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Check a signature."""
    try:
        crypto_sign_open(signature + message, public)
    except CryptoError:
        return False
    return True
