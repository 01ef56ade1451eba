"""What this process has signed opens as it does elsewhere, and nothing else does."""

import nacl.bindings
import pytest
from nacl.exceptions import BadSignatureError

KEYS = [nacl.bindings.crypto_sign_seed_keypair(bytes([number]) * 32) for number in range(2)]


def test_what_was_signed_here_opens_under_the_key_of_who_signed_it_and_no_other():
    (public, secret), (other, _) = KEYS
    signed = nacl.bindings.crypto_sign(b"a message", secret)
    assert nacl.bindings.crypto_sign_open(signed, public) == b"a message"
    with pytest.raises(BadSignatureError):
        nacl.bindings.crypto_sign_open(signed, other)


@pytest.mark.parametrize("place", [0, 40, 70])
def test_what_was_changed_since_does_not_open(place):
    public, secret = KEYS[0]
    signed = nacl.bindings.crypto_sign(b"another message", secret)
    changed = signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :]
    assert nacl.bindings.crypto_sign_open(signed, public) == b"another message"
    with pytest.raises(BadSignatureError):
        nacl.bindings.crypto_sign_open(changed, public)


def test_a_key_that_is_put_together_of_two_signs_nothing_that_opens():
    """Its second half says whose key it is, and is not that of the first."""
    (_, secret), (other, _) = KEYS
    with pytest.raises(BadSignatureError):
        nacl.bindings.crypto_sign_open(nacl.bindings.crypto_sign(b"a message", secret[:32] + other), other)
