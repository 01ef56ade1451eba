"""Keys that no honest person has, with signatures that only a careless verifier accepts."""

import secrets
from hashlib import sha512

from protocol.crypto.primitives import ed25519
from protocol.identity.keys import Identity

ORDER = 2**252 + 27742317777372353535851937790883648493  # order of the prime-order group of Ed25519

# Points of small order, as Ed25519 encodes them.
IDENTITY_POINT = b"\1" + bytes(31)
IDENTITY_POINT_AGAIN = b"\xee" + b"\xff" * 30 + b"\x7f"  # y = p + 1: not canonical
ORDER_TWO = b"\xec" + b"\xff" * 30 + b"\x7f"
ORDER_FOUR = bytes(32)
ORDER_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")

# X25519 public keys with which every shared secret is zero (RFC 7748, 6.1), by name
LOW_ORDER = {
    "zero": bytes(32),
    "one": b"\1" + bytes(31),
    "of-order-eight": bytes.fromhex(
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"
    ),
    "of-order-eight-twisted": bytes.fromhex(
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"
    ),
    "p-minus-one": b"\xec" + b"\xff" * 30 + b"\x7f",
    "p": b"\xed" + b"\xff" * 30 + b"\x7f",
    "p-plus-one": b"\xee" + b"\xff" * 30 + b"\x7f",
}


def sign_weakly(torsion: bytes, secret: int, message: bytes) -> tuple[bytes, bytes]:
    """Return the key secret·B + torsion, and a signature under this key for which k·torsion
    vanishes.
    """
    if secret:
        public = ed25519.backend.add(_times_base(secret), torsion)
    else:
        public = torsion
    while True:
        r = 1 + secrets.randbelow(ORDER - 1)
        R = _times_base(r)
        k = int.from_bytes(sha512(R + public + message).digest(), "little") % ORDER
        if k % 8 == 0:  # the order of any torsion point divides 8
            return public, R + ((r + k * secret) % ORDER).to_bytes(32, "little")


def _times_base(scalar: int) -> bytes:
    return ed25519.backend.times_base(scalar.to_bytes(32, "little"))


def random_identity() -> Identity:
    """Return an identity of a stranger."""
    return Identity(secrets.token_bytes(32))
