"""The primitives check inputs that their libraries do not."""

import pytest

from conformance.weak_keys import IDENTITY_POINT, IDENTITY_POINT_AGAIN, LOW_ORDER, ORDER_TWO
from protocol.crypto.primitives import (
    aes_gcm,
    chacha20,
    ed25519,
    hkdf,
    passphrase,
    ristretto255,
    x25519,
)

NONCE = bytes(12)
WRONG_SIZES = [0, 16, 24, 31, 33, 64]


@pytest.mark.parametrize("size", WRONG_SIZES)
def test_x25519_with_key_of_wrong_size_is_refused(size):
    """PyNaCl would read past the end of a key that is too short."""
    with pytest.raises(ValueError, match="32 bytes"):
        x25519.public_key(bytes(size))
    with pytest.raises(ValueError, match="32 bytes"):
        x25519.shared_secret(bytes(size), b"\x09" + bytes(31))
    with pytest.raises(ValueError, match="32 bytes"):
        x25519.shared_secret(bytes(32), bytes(size))


@pytest.mark.parametrize("name", LOW_ORDER)
def test_x25519_with_low_order_key_is_refused(name):
    with pytest.raises(ValueError, match="low order"):
        x25519.shared_secret(b"k" * 32, LOW_ORDER[name])


@pytest.mark.parametrize("name", LOW_ORDER)
def test_x25519_backend_returning_zeros_is_noticed(name, monkeypatch):
    class Careless:
        public_key = staticmethod(x25519.backend.public_key)

        @staticmethod
        def shared_secret(private: bytes, public: bytes) -> bytes:
            return bytes(32)

    monkeypatch.setattr(x25519, "backend", Careless)
    with pytest.raises(ValueError, match="low order"):
        x25519.shared_secret(b"k" * 32, LOW_ORDER[name])


@pytest.mark.parametrize("value", [x25519.FIELD_PRIME, x25519.FIELD_PRIME + 9, 2**255 + 9])
def test_x25519_second_encoding_is_not_canonical(value):
    encoded = value.to_bytes(32, "little")
    assert x25519.is_canonical((value % 2**255 % x25519.FIELD_PRIME).to_bytes(32, "little"))
    assert not x25519.is_canonical(encoded)
    assert not x25519.is_canonical(encoded[:31])


@pytest.mark.parametrize("public", [IDENTITY_POINT, IDENTITY_POINT_AGAIN, ORDER_TWO, bytes(31)])
def test_ed25519_weak_key_verifies_nothing(public):
    assert not ed25519.is_valid_key(public)
    assert not ed25519.verify(public, IDENTITY_POINT + bytes(32), b"any message")


@pytest.mark.parametrize("size", [0, 63, 65])
def test_ed25519_signature_of_wrong_size_does_not_hold(size):
    """With 65 bytes the last one would be taken as the first of the message."""
    key = ed25519.SigningKey(b"s" * 32)
    signature = (key.sign(b"message") + b"m")[:size]
    assert not ed25519.verify(key.public, signature, b"essage" if size == 65 else b"message")


@pytest.mark.parametrize("size", WRONG_SIZES)
def test_ed25519_seed_of_wrong_size_is_refused(size):
    with pytest.raises(ValueError, match="32 bytes"):
        ed25519.SigningKey(bytes(size))


def test_ed25519_signing_key_shows_no_secret():
    assert repr(ed25519.SigningKey(b"s" * 32)) == "SigningKey(...)"


@pytest.mark.parametrize("size", WRONG_SIZES)
def test_aes_gcm_key_of_wrong_size_is_refused(size):
    """`cryptography` takes AES-128 and AES-192 keys under the same name."""
    with pytest.raises(ValueError, match="32 bytes"):
        aes_gcm.AesGcm(bytes(size))


@pytest.mark.parametrize("size", [0, 8, 11, 13, 16])
def test_aes_gcm_nonce_of_wrong_size_is_refused(size):
    cipher = aes_gcm.AesGcm(bytes(32))
    with pytest.raises(ValueError, match="12 bytes"):
        cipher.encrypt(bytes(size), b"text")
    with pytest.raises(ValueError, match="not a ciphertext"):
        cipher.decrypt(bytes(size), cipher.encrypt(NONCE, b"text"))


def test_aes_gcm_changed_ciphertext_raises_value_error():
    cipher = aes_gcm.AesGcm(bytes(32))
    sealed = cipher.encrypt(NONCE, b"text", b"associated")
    assert cipher.decrypt(NONCE, sealed, b"associated") == b"text"
    for changed, associated in (
        (sealed[:-1] + bytes([sealed[-1] ^ 1]), b"associated"),
        (sealed, b"other"),
        (sealed[:15], b"associated"),
    ):
        with pytest.raises(ValueError, match=r"tag|ciphertext"):
            cipher.decrypt(NONCE, changed, associated)


@pytest.mark.parametrize("size", WRONG_SIZES)
def test_chacha20_key_of_wrong_size_is_refused(size):
    with pytest.raises(ValueError, match="32 bytes"):
        chacha20.key_stream(bytes(size))


@pytest.mark.parametrize("length", [0, hkdf.MAX_LENGTH + 1])
def test_hkdf_with_impossible_length_is_refused(length):
    with pytest.raises(ValueError, match="HKDF"):
        hkdf.derive(b"secret", b"info", length)


def test_passphrase_box_of_wrong_form_is_refused():
    box = passphrase.PassphraseBox(b"open", b"s" * 16, 1, 8192)
    sealed = box.seal(b"secret", b"n" * 24)
    assert box.unseal(sealed) == b"secret"
    for changed in (sealed[:-1], sealed[:39], b"", sealed + b"\0"):
        with pytest.raises(ValueError, match="box"):
            box.unseal(changed)
    with pytest.raises(ValueError, match="24 bytes"):
        box.seal(b"secret", b"n" * 23)
    with pytest.raises(ValueError, match="16 bytes"):
        passphrase.PassphraseBox(b"open", b"s" * 15, 1, 8192)
    with pytest.raises(ValueError, match="cost"):
        passphrase.PassphraseBox(b"open", b"s" * 16, 0, 8192)


def test_ristretto255_point_with_bit_255_set_is_refused():
    base = ristretto255.backend.times_base((1).to_bytes(32, "little"))
    assert ristretto255.is_valid_point(base)
    assert not ristretto255.is_valid_point(base[:31] + bytes([base[31] | 0x80]))
    assert not ristretto255.is_valid_point(base[:31])
