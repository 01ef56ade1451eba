"""Ed25519 by libsodium."""

from protocol.crypto.primitives.browser.calls import binary, check, function, text, unary

is_valid_point = check("edwardsIsValid")
add = binary("edwardsAdd")
times_base = unary("edwardsTimesBase")
sign = binary("ed25519Sign")
_both_keys = unary("ed25519KeyPair")
_verify = function("ed25519Verify")

_PUBLIC_KEY_SIZE = 32  # bytes


def key_pair(seed: bytes) -> tuple[bytes, bytes]:
    """Return the public and the secret key of a seed."""
    keys = _both_keys(seed)
    return keys[:_PUBLIC_KEY_SIZE], keys[_PUBLIC_KEY_SIZE:]


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Check a signature."""
    return bool(_verify(text(public), text(signature), text(message)))
