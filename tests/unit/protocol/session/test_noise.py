"""Noise XX passes cacophony's vectors, and refuses wrong order, wrong points and wrong bytes."""

import json
import random
from pathlib import Path

import pytest

from protocol.codes import Code
from protocol.crypto.primitives.aes_gcm import AesGcm
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.session import noise
from protocol.session.noise import CipherState, Handshake

VECTORS = Path(__file__).parents[3] / "vectors"
NOISE = json.loads((VECTORS / "noise_xx_cacophony.json").read_text())["vectors"]
OURS = [vector for vector in NOISE if vector["protocol_name"] == noise.PROTOCOL_NAME.decode()]


class FixedRng:
    """Random source that returns the same bytes every time."""

    def __init__(self, raw):
        self.raw = raw

    def randbytes(self, n, /):
        assert n == len(self.raw)
        return self.raw


def side(vector, name):
    raw = {
        key: bytes.fromhex(vector[f"{name}_{key}"]) for key in ("prologue", "static", "ephemeral")
    }
    return Handshake(
        initiator=name == "init",
        prologue=raw["prologue"],
        static=raw["static"],
        rng=FixedRng(raw["ephemeral"]),
    )


def pair(seed=1):
    rng = random.Random(seed)
    make = lambda initiator: Handshake(  # noqa: E731
        initiator=initiator, prologue=b"p", static=rng.randbytes(32), rng=rng
    )
    return make(True), make(False)


def bad_handshake(call, *args):
    with pytest.raises(RemoteError) as caught:
        call(*args)
    assert caught.value.code is Code.BAD_HANDSHAKE


def ours_wrong(call, *args):
    with pytest.raises(LocalError):
        call(*args)


def test_noise_vectors_are_present():
    assert len(OURS) == 1
    assert len(OURS[0]["messages"]) == 6


@pytest.mark.parametrize("vector", OURS)
def test_noise_passes_cacophony_vectors(vector):
    initiator, responder = side(vector, "init"), side(vector, "resp")
    rows = [
        (bytes.fromhex(row["payload"]), bytes.fromhex(row["ciphertext"]))
        for row in vector["messages"]
    ]
    for number, (payload, ciphertext) in enumerate(rows[:3]):
        writer, reader = (initiator, responder) if number % 2 == 0 else (responder, initiator)
        assert writer.write(payload) == ciphertext
        assert reader.read(ciphertext) == payload
    assert initiator.hash == responder.hash == bytes.fromhex(vector["handshake_hash"])
    assert responder.remote_static == public_key(bytes.fromhex(vector["init_static"]))
    assert initiator.remote_static == public_key(bytes.fromhex(vector["resp_static"]))
    (initiator_sends, initiator_receives), (responder_sends, responder_receives) = (
        initiator.split(),
        responder.split(),
    )
    for number, (payload, ciphertext) in enumerate(rows[3:], start=3):
        sends, receives = (
            (initiator_sends, responder_receives)
            if number % 2 == 0
            else (responder_sends, initiator_receives)
        )
        assert sends.encrypt(payload) == ciphertext
        assert receives.decrypt(ciphertext) == payload


def test_noise_calls_out_of_turn_raise_error():
    initiator, responder = pair()
    ours_wrong(initiator.read, b"x" * 32)
    ours_wrong(responder.write)
    ours_wrong(initiator.split)
    first = initiator.write()
    ours_wrong(initiator.write)
    responder.read(first)
    ours_wrong(responder.read, first)
    second = responder.write()
    ours_wrong(responder.write)
    ours_wrong(responder.split)
    initiator.read(second)
    third = initiator.write()
    ours_wrong(initiator.write)
    ours_wrong(initiator.read, second)
    initiator.split()
    ours_wrong(initiator.split)
    responder.read(third)
    ours_wrong(responder.read, third)
    ours_wrong(responder.write)
    responder.split()


def test_failed_handshake_cannot_continue():
    initiator, responder = pair()
    first = initiator.write()
    bad_handshake(responder.read, first[:31])
    ours_wrong(responder.read, first)
    ours_wrong(responder.write)
    ours_wrong(responder.split)


def test_noise_prologues_must_agree():
    rng = random.Random(1)
    initiator = Handshake(initiator=True, prologue=b"one", static=rng.randbytes(32), rng=rng)
    responder = Handshake(initiator=False, prologue=b"two", static=rng.randbytes(32), rng=rng)
    responder.read(initiator.write())
    bad_handshake(initiator.read, responder.write())


def run_until(number, seed=1):
    """Run both sides until message `number` (0 to 2) is to be read; return its reader and the
    message.
    """
    sides = pair(seed)
    message = b""
    for line in range(number + 1):
        if line:
            sides[line % 2].read(message)
        message = sides[line % 2].write(b"payload")
    return sides[(number + 1) % 2], message


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_handshake_with_any_changed_byte_fails(number):
    _, message = run_until(number)
    for at in range(len(message)):
        reader, message = run_until(number)
        bad_handshake(reader.read, message[:at] + bytes([message[at] ^ 1]) + message[at + 1 :])
    for size in range(len(message)):
        reader, message = run_until(number)
        bad_handshake(reader.read, message[:size])
    reader, message = run_until(number)
    bad_handshake(reader.read, message + b"x")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_message_above_noise_limit_is_refused(number):
    reader, message = run_until(number)
    bad_handshake(reader.read, message.ljust(noise.MAX_MESSAGE + 1, b"\0"))
    ours_wrong(pair()[0].write, b"x" * noise.MAX_MESSAGE)


def test_changed_first_message_is_noticed_in_second():
    for at in range(39):
        initiator, responder = pair()
        first = initiator.write(b"payload")
        responder.read(first[:at] + bytes([first[at] ^ 1]) + first[at + 1 :])
        bad_handshake(initiator.read, responder.write())


def test_zero_shared_secrets_are_refused():
    _, responder = pair()
    responder.read(bytes(32))  # no Diffie-Hellman yet
    bad_handshake(responder.write)  # the fault is the peer's, although it is found while writing
    ours_wrong(responder.read, bytes(64))


def test_last_nonce_is_never_used():
    sender, receiver = CipherState(b"k" * 32), CipherState(b"k" * 32)
    sender.nonce = receiver.nonce = noise.MAX_NONCE - 1
    sealed = sender.encrypt(b"last")
    assert receiver.decrypt(sealed) == b"last"
    ours_wrong(sender.encrypt, b"one more")
    beyond = AesGcm(b"k" * 32).encrypt(noise.MAX_NONCE.to_bytes(12, "big"), b"one more", None)
    with pytest.raises(RemoteError) as caught:
        receiver.decrypt(beyond)
    assert caught.value.code is Code.BAD_RECORD
    assert sender.nonce == receiver.nonce == noise.MAX_NONCE


def test_forged_message_does_not_advance_nonce():
    sender, receiver = CipherState(b"k" * 32), CipherState(b"k" * 32)
    sealed = sender.encrypt(b"real")
    for forged in (b"", b"short", sealed[:-1] + bytes([sealed[-1] ^ 1])):
        with pytest.raises(RemoteError):
            receiver.decrypt(forged)
    assert receiver.decrypt(sealed) == b"real"
