"""The primitives as called here pass the test vectors of Project Wycheproof."""

import hmac
import json
from pathlib import Path

import pytest

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal
from protocol.crypto.primitives import hkdf
from protocol.crypto.primitives.aes_gcm import AesGcm
from protocol.errors import RemoteError
from protocol.identity.keys import check_key, is_signature_valid
from protocol.session import noise
from protocol.session.noise import CipherState

VECTORS = Path(__file__).parents[4] / "vectors"


def load(name):
    return json.loads((VECTORS / f"wycheproof_{name}.json").read_text())


def cases(name):
    """Yield (group, test) of a whole file, and check the file's own count."""
    data = load(name)
    found = [(group, test) for group in data["testGroups"] for test in group["tests"]]
    assert len(found) == data["numberOfTests"]
    return found


def raw(test, *names):
    return [bytes.fromhex(test[name]) for name in names]


@pytest.mark.slow
def test_x25519_passes_wycheproof():
    zero = 0
    for _, test in cases("x25519"):
        private, public, shared = raw(test, "private", "public", "shared")
        if any(shared):
            assert noise.shared_secret(private, public) == shared, test["tcId"]
            continue
        zero += 1
        with pytest.raises(RemoteError) as caught:
            noise.shared_secret(private, public)
        assert caught.value.code is Code.BAD_HANDSHAKE
    assert zero > 20


@pytest.mark.parametrize("size", [0, 31, 33])
def test_x25519_refuses_wrong_sizes(size):
    with pytest.raises(RemoteError):
        noise.shared_secret(b"k" * 32, b"p" * size)


def test_ed25519_passes_wycheproof():
    seen = set()
    for group, test in cases("ed25519"):
        (public,) = raw(group["publicKey"], "pk")
        message, signature = raw(test, "msg", "sig")
        assert is_signature_valid(public, signature, message) is (test["result"] == "valid"), test[
            "tcId"
        ]
        seen.add(test["result"])
        check_key(public)
    assert seen == {"valid", "invalid"}


def test_aes_gcm_256_passes_wycheproof():
    done = 0
    for group, test in cases("aes_gcm"):
        if (group["keySize"], group["ivSize"], group["tagSize"]) != (256, 96, 128):
            continue
        key, nonce, ad, message, ciphertext, tag = raw(test, "key", "iv", "aad", "msg", "ct", "tag")
        if test["result"] == "valid":
            assert AesGcm(key).encrypt(nonce, message, ad) == ciphertext + tag
            assert AesGcm(key).decrypt(nonce, ciphertext + tag, ad) == message
        else:
            with pytest.raises(ValueError):
                AesGcm(key).decrypt(nonce, ciphertext + tag, ad)
        done += 1
    assert done > 50


def test_aes_gcm_256_through_the_cipher_state():
    """The same vectors with the nonces that Noise can have: four zero bytes and a counter."""
    key, ad, message = b"k" * 32, b"ad", b"message"
    for nonce in (0, 1, 2**32, 2**64 - 2):
        cipher = CipherState(key)
        cipher.nonce = nonce
        assert cipher.encrypt(message, ad) == AesGcm(key).encrypt(
            nonce.to_bytes(12, "big"), message, ad
        )


def test_hmac_sha512_passes_wycheproof():
    for group, test in cases("hmac_sha512"):
        key, message, tag = raw(test, "key", "msg", "tag")
        computed = hmac.digest(key, message, "sha512")[: group["tagSize"] // 8]
        assert constant_time_equal(computed, tag) is (test["result"] == "valid"), test["tcId"]


def test_hkdf_sha512_passes_wycheproof():
    ours = unsalted = 0
    for _, test in cases("hkdf_sha512"):
        secret, salt, info, expected = raw(test, "ikm", "salt", "info", "okm")
        if test["result"] != "valid":
            with pytest.raises(ValueError, match="HKDF"):
                hkdf.derive(secret, info, test["size"])
            continue
        if not any(salt):
            assert hkdf.derive(secret, info, test["size"]) == expected
            unsalted += 1
        if not info and test["size"] <= 128:
            assert b"".join(noise.hkdf(salt, secret))[: test["size"]] == expected
            ours += 1
    assert ours > 10
    assert unsalted > 10
