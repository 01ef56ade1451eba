"""Sealed bytes are opened by another library: pycryptodome shares no code with `cryptography` or
libsodium.
"""

from random import Random

import pytest
from Crypto.Cipher import AES
from Crypto.Hash import SHA256, SHA512
from Crypto.Protocol.DH import key_agreement
from Crypto.Protocol.KDF import HKDF
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from protocol.crypto.envelopes import Party, new_key, pair_key, seal
from protocol.crypto.hashing import derive, digest, encode_fields
from protocol.identity.keys import Identity
from protocol.session.noise import CipherState

CONTEXT = (b"deal", "select", 3)


def other_derive(secret, label, *context):
    """Derive by HKDF-HMAC-SHA-512 without salt, with the other library."""
    return HKDF(secret, 32, b"", SHA512, context=encode_fields(label, *context))


def test_key_derivation_and_hashing_match_pycryptodome():
    secret = Random(1).randbytes(32)
    assert derive(secret, "envelope", *CONTEXT) == other_derive(secret, "envelope", *CONTEXT)
    assert (
        digest("pseudonym", *CONTEXT) == SHA256.new(encode_fields("pseudonym", *CONTEXT)).digest()
    )


def test_envelope_is_opened_by_pycryptodome():
    rng = Random(2)
    ann, bob = new_key(rng), new_key(rng)
    sender, receiver = Party(b"a" * 32, ann.public), Party(b"b" * 32, bob.public)
    envelope = seal(
        pair_key(ann, b"m" * 32, b"t" * 32, sender, receiver), rng, b"six-four", "hop", *CONTEXT
    )

    shared = key_agreement(
        static_priv=ECC.construct(curve="Curve25519", seed=bob.private),
        static_pub=ECC.import_key(b"0*0\x05\x06\x03+en\x03!\x00" + ann.public),
        kdf=lambda secret: secret,
    )
    ends = (sender.identity, sender.public, receiver.identity, receiver.public)
    pair = other_derive(shared, "pair key", b"t" * 32, b"m" * 32, *ends)
    key = other_derive(pair, "envelope", envelope[:32], "hop", "bare", *CONTEXT)
    cipher = AES.new(key, AES.MODE_GCM, nonce=bytes(12))
    assert cipher.decrypt_and_verify(envelope[32:-16], envelope[-16:]) == b"six-four"


def test_session_record_is_opened_by_pycryptodome():
    key = Random(3).randbytes(32)
    ours = CipherState(key)
    ours.encrypt(b"first")
    sealed = ours.encrypt(b"second")
    cipher = AES.new(key, AES.MODE_GCM, nonce=bytes(4) + (1).to_bytes(8, "big"))
    assert cipher.decrypt_and_verify(sealed[:-16], sealed[-16:]) == b"second"


def test_signature_is_verified_by_pycryptodome():
    identity = Identity(Random(4).randbytes(32))
    signature = identity.sign("entry", b"match", b"content")
    verifier = eddsa.new(eddsa.import_public_key(identity.public), "rfc8032")
    verifier.verify(encode_fields("entry", b"match", b"content"), signature)
    with pytest.raises(ValueError, match="not authentic"):
        verifier.verify(encode_fields("entry", b"match", b"contend"), signature)
