"""Vectors of chapter 7: pair keys, envelopes from seat to seat, pieces sealed to slots, talk."""

from typing import Any

from protocol import wire
from protocol.crypto.envelopes import (
    MatchKey,
    Party,
    _envelope_key,
    check_public,
    new_key,
    open_from_slot,
    pair_key,
    seal,
    seal_to_slot,
    unseal,
)
from protocol.crypto.primitives.aes_gcm import AesGcm
from protocol.limits import MAX_ENVELOPE, SAY_PADDED
from protocol.messages.table_talk import TalkChannel
from tests.vectors.make.forms import Bad, Vector, random_for
from tests.vectors.make.sessions import LOW_ORDER, Given

Ends = dict[str, bytes]  # identity and match_key of a seat


def key_of(private: bytes) -> MatchKey:
    """Return the key pair of a private key."""
    return new_key(Given(private))  # type: ignore[arg-type]


def take_match_key(public: bytes) -> dict[str, Any]:
    """Operation of 7.1.1: check a match key."""
    check_public(public)
    return {"fit": True}


def agree(
    private: bytes, table: bytes, match: bytes, sender: Ends, receiver: Ends
) -> dict[str, Any]:
    """Operation of 7.1.2: calculate the key of envelopes from sender to receiver, from the private
    key of either.
    """
    ends = [Party(end["identity"], end["match_key"]) for end in (sender, receiver)]
    return {"key": pair_key(key_of(private), match, table, *ends)}


def seal_envelope(
    key: bytes,
    salt: bytes,
    plaintext: bytes,
    purpose: str,
    context: list[Any],
    padded_to: int | None,
) -> dict[str, Any]:
    """Operation of 7.2: seal an envelope."""
    return {"envelope": seal(key, Given(salt), plaintext, purpose, *context, padded_to=padded_to)}  # type: ignore[arg-type]


def open_envelope(
    key: bytes, envelope: bytes, purpose: str, context: list[Any], padded_to: int | None
) -> dict[str, Any]:
    """Operation of 7.2: open an envelope."""
    return {"plaintext": unseal(key, envelope, purpose, *context, padded_to=padded_to)}


def seal_slot(
    ephemeral: bytes, slot: bytes, plaintext: bytes, purpose: str, context: list[Any]
) -> dict[str, Any]:
    """Operation of 7.3: seal a piece to a slot. `ephemeral` is a private key, `slot` a public
    one.
    """
    made = key_of(ephemeral)
    return {
        "ephemeral": made.public,
        "sealed": seal_to_slot(slot, made, plaintext, purpose, *context),
    }


def open_slot(
    private: bytes, ephemeral: bytes, sealed: bytes, purpose: str, context: list[Any]
) -> dict[str, Any]:
    """Operation of 7.3: open a sealed piece. `private` is the slot's key, `ephemeral` a public
    one.
    """
    return {"plaintext": open_from_slot(key_of(private), ephemeral, sealed, purpose, *context)}


def hear(key: bytes, heard: list[bytes], envelope: bytes) -> dict[str, Any]:
    """Operation of 7.4: read a remark from seat 0 to seat 1, after some others."""
    talk = TalkChannel(1, 2, lambda sender, receiver: key)
    for before in heard:
        talk.open_remark(0, before)
    return {"text": talk.open_remark(0, envelope)}


OPERATIONS = {
    "take match key": take_match_key,
    "agree": agree,
    "seal envelope": seal_envelope,
    "open envelope": open_envelope,
    "seal to slot": seal_slot,
    "open slot": open_slot,
    "hear": hear,
}
P = 2**255 - 19


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_keys(), *_envelopes(), *_slots(), *_talk()]


def _keys() -> list[Vector]:
    rng = random_for("pair keys")
    ann, bob = (key_of(rng.randbytes(32)) for _ in range(2))
    ends = [{"identity": rng.randbytes(32), "match_key": key.public} for key in (ann, bob)]
    given = {"private": ann.private, "table": rng.randbytes(32), "match": rng.randbytes(32)}
    given |= {"sender": ends[0], "receiver": ends[1]}
    unfit = {
        "of low order": LOW_ORDER,
        "zero": bytes(32),
        "one": (1).to_bytes(32, "little"),
        "2^255 - 19": P.to_bytes(32, "little"),
        "2^255 - 18": (P + 1).to_bytes(32, "little"),
        "with the highest bit set": bob.public[:31] + bytes([bob.public[31] | 0x80]),
        "of 31 bytes": bob.public[:31],
    }
    return [
        Vector(
            "7.1",
            "a match key",
            "take match key",
            {"public": bob.public},
            tuple(Bad(text, {"public": raw}, "bad_match_key") for text, raw in unfit.items()),
        ),
        Vector(
            "7.1",
            "from Ann to Bob, by Ann",
            "agree",
            given,
            (
                Bad(
                    "Bob's key is of low order", {"receiver/match_key": LOW_ORDER}, "bad_match_key"
                ),
                Bad(
                    "Bob's key is a copy of Ann's",
                    {"receiver/match_key": ann.public},
                    "bad_match_key",
                ),
            ),
        ),
        Vector(
            "7.1", "from Ann to Bob, by Bob: the same", "agree", given | {"private": bob.private}
        ),
        Vector("7.1", "from Bob to Ann", "agree", given | {"sender": ends[1], "receiver": ends[0]}),
    ]


def _envelopes() -> list[Vector]:
    rng = random_for("envelopes")
    key, deal = rng.randbytes(32), rng.randbytes(32)
    sealing = {"key": key, "salt": rng.randbytes(32), "plaintext": b"\xff\x0f"}
    bound = {"purpose": "hop", "context": [deal, "select", 5], "padded_to": 4}
    padded = seal_envelope(**sealing, **bound)["envelope"]
    bare = seal_envelope(**sealing, **(bound | {"padded_to": None}))["envelope"]
    given = {"key": key, "envelope": padded, **bound}
    unpadded = {"key": key, "salt": sealing["salt"], **bound}
    made = [
        Vector("7.2", "sealed and padded", "seal envelope", sealing | bound),
        Vector("7.2", "sealed as it is", "seal envelope", sealing | bound | {"padded_to": None}),
        Vector("7.2", "nothing, padded", "seal envelope", sealing | bound | {"plaintext": b""}),
    ]
    changes: dict[str, dict[str, Any]] = {
        "another key": {"key": bytes(32)},
        "another purpose": {"purpose": "draw key"},
        "another deal": {"context/0": bytes(32)},
        "another hop": {"context/2": 6},
        "a field of the context left out": {"context": [deal, "select"]},
        "taken for a bare one": {"padded_to": None},
        "another padding": {"padded_to": 5},
        "a bit of the salt": {"envelope": bytes([padded[0] ^ 1]) + padded[1:]},
        "a bit of the ciphertext": {
            "envelope": padded[:40] + bytes([padded[40] ^ 1]) + padded[41:]
        },
        "a bit of the tag": {"envelope": padded[:-1] + bytes([padded[-1] ^ 1])},
        "a byte more": {"envelope": padded + b"\0"},
        "47 bytes": {"envelope": padded[:47]},
        "longer than an envelope may be": {"envelope": bytes(MAX_ENVELOPE + 1)},
        "a length above the padding": {"envelope": _lock(unpadded, b"\0\0\0\5" + bytes(4))},
        "padding that is not zero": {"envelope": _lock(unpadded, b"\0\0\0\2" + b"\xff\x0f\0\1")},
        "padding that is too short": {"envelope": _lock(unpadded, b"\0\0\0\2" + b"\xff\x0f\0")},
    }
    bad = tuple(Bad(text, change, "bad_envelope") for text, change in changes.items())
    return [
        *made,
        Vector("7.2", "opened", "open envelope", given, bad),
        Vector(
            "7.2",
            "a bare one opened",
            "open envelope",
            given | {"envelope": bare, "padded_to": None},
        ),
    ]


def _lock(bound: dict[str, Any], padded: bytes) -> bytes:
    """Encrypt an envelope with any padding. Its key is that of a padded one."""
    key = _envelope_key(
        bound["key"], bound["salt"], bound["purpose"], tuple(bound["context"]), bound["padded_to"]
    )
    return bytes(bound["salt"] + AesGcm(key).encrypt(bytes(12), padded, None))


def _slots() -> list[Vector]:
    rng = random_for("slots")
    slot, ephemeral, deal = key_of(rng.randbytes(32)), key_of(rng.randbytes(32)), rng.randbytes(32)
    plaintext = b"\0\7" + rng.randbytes(32)
    given: dict[str, Any] = {
        "ephemeral": ephemeral.private,
        "slot": slot.public,
        "plaintext": plaintext,
    }
    given |= {"purpose": "piece", "context": [deal, 3]}
    sealed = seal_slot(**given)["sealed"]
    opening = {"private": slot.private, "ephemeral": ephemeral.public, "sealed": sealed}
    opening |= {"purpose": "piece", "context": [deal, 3]}
    bad = (
        Bad("another slot's number", {"context/1": 4}, "bad_envelope"),
        Bad("another deal", {"context/0": bytes(32)}, "bad_envelope"),
        Bad("another slot's key", {"private": bytes(range(32))}, "bad_envelope"),
        Bad("another batch's key", {"ephemeral": slot.public}, "bad_envelope"),
        Bad("a batch's key of low order", {"ephemeral": LOW_ORDER}, "bad_envelope"),
        Bad("a bit of it", {"sealed": bytes([sealed[0] ^ 1]) + sealed[1:]}, "bad_envelope"),
        Bad("a byte less", {"sealed": sealed[:-1]}, "bad_envelope"),
    )
    unfit = (
        Bad("a slot of low order", {"slot": LOW_ORDER}, "bad_slot_key"),
        Bad("an empty slot", {"slot": bytes(32)}, "bad_slot_key"),
        Bad("a key that is not canonical", {"slot": P.to_bytes(32, "little")}, "bad_slot_key"),
    )
    return [
        Vector("7.3", "a piece sealed to a slot", "seal to slot", given, unfit),
        Vector("7.3", "opened", "open slot", opening, bad),
    ]


def _talk() -> list[Vector]:
    rng = random_for("talk")
    key = rng.randbytes(32)

    def said(value: Any, purpose: str = "say", padded_to: int | None = SAY_PADDED) -> bytes:
        return seal(key, rng, wire.encode(value), purpose, padded_to=padded_to)

    first, second = said([1, "good evening"]), said([2, "your turn\x1b[2J"])
    bad = {
        "heard before": first,
        "an older one": said([0, "x"]),
        "an empty remark": said([3, ""]),
        "201 characters": said([3, "a" * 201]),
        "no counter": said(["x"]),
        "another purpose": said([3, "x"], "hop"),
        "not padded": said([3, "x"], padded_to=None),
    }
    faults = tuple(Bad(text, {"envelope": raw}, "bad_envelope") for text, raw in bad.items())
    return [
        Vector("7.4", "a remark", "hear", {"key": key, "heard": [], "envelope": first}),
        Vector(
            "7.4",
            "the next; it must not steer a terminal",
            "hear",
            {"key": key, "heard": [first], "envelope": second},
            faults,
        ),
    ]
