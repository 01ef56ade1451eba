"""The tests' cached Ed25519 accepts its own signatures, and nothing invalid."""

import pytest

from protocol.crypto.primitives.native import ed25519 as native
from tests.support.memo import MemoisedEd25519

ED25519 = MemoisedEd25519(native)
KEYS = [ED25519.key_pair(bytes([number]) * 32) for number in range(2)]


def test_own_signature_holds_under_its_key_alone():
    (public, secret), (other, _) = KEYS
    signature = ED25519.sign(secret, b"a message")
    assert ED25519.verify(public, signature, b"a message")
    assert not ED25519.verify(other, signature, b"a message")


@pytest.mark.parametrize("place", [0, 40])
def test_own_signature_when_changed_does_not_hold(place):
    public, secret = KEYS[0]
    signature = ED25519.sign(secret, b"another message")
    changed = signature[:place] + bytes([signature[place] ^ 1]) + signature[place + 1 :]
    assert ED25519.verify(public, signature, b"another message")
    assert not ED25519.verify(public, changed, b"another message")
    assert not ED25519.verify(public, signature, b"another messagf")


def test_key_of_mismatched_halves_signs_invalidly():
    """The second half of a secret key is a public key, here of another key pair."""
    (_, secret), (other, _) = KEYS
    mixed = secret[:32] + other
    assert not ED25519.verify(other, ED25519.sign(mixed, b"a message"), b"a message")
