"""Envelopes have one reader, one meaning and one size; anybody can judge them once a key is
opened.
"""

from dataclasses import replace
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto import envelopes
from protocol.crypto.envelopes import (
    MatchKey,
    Party,
    check_public,
    envelope_size,
    key_from_private,
    new_key,
    open_from_slot,
    pair_key,
    seal,
    seal_to_slot,
    unseal,
)
from protocol.crypto.hashing import derive
from protocol.errors import RemoteError
from protocol.limits import MAX_ENVELOPE

RNG = Random("sealed")
ALICE, BOB, EVE = new_key(RNG), new_key(RNG), new_key(RNG)
A, B, E = Party(b"a" * 32, ALICE.public), Party(b"b" * 32, BOB.public), Party(b"e" * 32, EVE.public)
MATCH, TABLE = b"match".ljust(32), b"table".ljust(32)
KEY = pair_key(ALICE, MATCH, TABLE, A, B)
P = 2**255 - 19
ORDER_8 = (
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
)
LOW_ORDER = [n.to_bytes(32, "little") for n in (0, 1, P - 1)] + [
    bytes.fromhex(raw) for raw in ORDER_8
]
HIGH_BIT = [raw[:31] + bytes([raw[31] | 128]) for raw in [*LOW_ORDER, ALICE.public, BOB.public]]
NOT_CANONICAL = [n.to_bytes(32, "little") for n in range(P, 2**255)] + HIGH_BIT
BAD_PUBLIC = LOW_ORDER + NOT_CANONICAL
NOT_A_KEY: list[object] = [b"", BOB.public[:31], BOB.public + b"\0", "b" * 32, None, 9]


def refused(code: Code, call: object, *args: object, **named: object) -> bool:
    with pytest.raises(RemoteError) as caught:
        call(*args, **named)  # type: ignore[operator]
    return caught.value.code == code


def shared(own: MatchKey, public: bytes) -> bytes:
    """Compute plain X25519."""
    return X25519PrivateKey.from_private_bytes(own.private).exchange(
        X25519PublicKey.from_public_bytes(public)
    )


# --- keys


def test_both_ends_and_judge_derive_key_per_direction() -> None:
    for sender, receiver in ((A, B), (B, A)):
        assert pair_key(ALICE, MATCH, TABLE, sender, receiver) == pair_key(
            BOB, MATCH, TABLE, sender, receiver
        )
    assert pair_key(ALICE, MATCH, TABLE, B, A) != KEY
    for private, posted in ((ALICE.private, A.public), (BOB.private, B.public)):
        assert pair_key(key_from_private(private, posted), MATCH, TABLE, A, B) == KEY


def test_pair_key_matches_documentation() -> None:
    ends = (A.identity, A.public, B.identity, B.public)
    assert derive(shared(BOB, ALICE.public), "pair key", TABLE, MATCH, *ends) == KEY


@pytest.mark.parametrize(
    "other",
    [
        pair_key(ALICE, bytes(32), TABLE, A, B),
        pair_key(ALICE, MATCH, bytes(32), A, B),
        pair_key(ALICE, TABLE, MATCH, A, B),
        pair_key(ALICE, MATCH, TABLE, replace(A, identity=bytes(32)), B),
        pair_key(ALICE, MATCH, TABLE, A, replace(B, identity=bytes(32))),
        pair_key(ALICE, MATCH, TABLE, B, A),
        pair_key(ALICE, MATCH, TABLE, A, E),
        pair_key(EVE, MATCH, TABLE, replace(A, public=EVE.public), B),
    ],
    ids=["match", "table", "swapped", "sender", "receiver", "direction", "peer", "middle"],
)
def test_envelope_of_another_pair_does_not_open(other: bytes) -> None:
    envelope = seal(KEY, RNG, b"hop", "hop", 1)
    assert unseal(KEY, envelope, "hop", 1) == b"hop"
    assert refused(Code.BAD_ENVELOPE, unseal, other, envelope, "hop", 1)


@pytest.mark.parametrize("public", BAD_PUBLIC, ids=bytes.hex)
def test_forbidden_key_is_refused_everywhere(public: bytes) -> None:
    assert refused(Code.BAD_MATCH_KEY, check_public, public)
    assert refused(Code.BAD_SLOT_KEY, check_public, public, Code.BAD_SLOT_KEY)
    assert refused(Code.BAD_MATCH_KEY, pair_key, ALICE, MATCH, TABLE, A, replace(B, public=public))
    assert refused(Code.BAD_SLOT_KEY, seal_to_slot, public, ALICE, b"piece", "piece", 1)
    assert refused(Code.BAD_ENVELOPE, open_from_slot, BOB, public, bytes(40), "piece", 1)


@pytest.mark.parametrize("public", NOT_A_KEY)
def test_invalid_key_is_refused(public: object) -> None:
    assert refused(Code.BAD_MATCH_KEY, check_public, public)
    assert refused(Code.BAD_MATCH_KEY, key_from_private, public, BOB.public)
    assert refused(Code.BAD_ENVELOPE, open_from_slot, BOB, public, bytes(40), "piece", 1)


def test_valid_key_is_accepted() -> None:
    for _ in range(20):
        public = new_key(RNG).public
        assert check_public(public) == public


def test_copied_key_is_refused() -> None:
    assert refused(
        Code.BAD_MATCH_KEY, pair_key, ALICE, MATCH, TABLE, A, replace(B, public=A.public)
    )


def test_foreign_key_raises_value_error() -> None:
    with pytest.raises(ValueError, match="neither"):
        pair_key(EVE, MATCH, TABLE, A, B)


def test_opened_key_must_match_the_posted_key() -> None:
    assert key_from_private(BOB.private, BOB.public) == BOB
    assert refused(Code.BAD_MATCH_KEY, key_from_private, BOB.private, ALICE.public)
    assert refused(
        Code.BAD_SLOT_KEY, key_from_private, ALICE.private, BOB.public, Code.BAD_SLOT_KEY
    )


def test_repr_shows_no_secret() -> None:
    assert not {BOB.private.hex(), repr(BOB.private)[2:20]} & set(repr(BOB).split("'"))
    assert "private" not in repr(BOB)


# --- envelopes from seat to seat


def test_every_envelope_is_different() -> None:
    envelopes = {seal(KEY, RNG, b"same", "hop", 1) for _ in range(50)}
    assert len({each[:32] for each in envelopes}) == len({each[32:] for each in envelopes}) == 50


def test_envelope_bytes_match_documentation() -> None:
    envelope = seal(KEY, RNG, b"abc", "hop", 7, b"x", padded_to=10)
    key = derive(KEY, "envelope", envelope[:32], "hop", 10, 7, b"x")
    assert AESGCM(key).decrypt(bytes(12), envelope[32:], None) == b"\0\0\0\3abc" + bytes(7)


def test_oversized_envelope_is_refused_although_it_would_open() -> None:
    salt, size = bytes(32), MAX_ENVELOPE - 48
    key = derive(KEY, "envelope", salt, "hop", "bare")
    fits, large = (salt + AESGCM(key).encrypt(bytes(12), bytes(n), None) for n in (size, size + 1))
    assert unseal(KEY, fits, "hop") == bytes(size)
    assert refused(Code.BAD_ENVELOPE, unseal, KEY, large, "hop")


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(plaintext=st.binary(max_size=40), seed=st.integers(0, 2**32))
def test_sealed_text_is_opened_unchanged(plaintext: bytes, seed: int) -> None:
    for padded_to in (None, 40, 100):
        envelope = seal(KEY, Random(seed), plaintext, "hop", 1, b"x", padded_to=padded_to)
        assert unseal(KEY, envelope, "hop", 1, b"x", padded_to=padded_to) == plaintext
        if padded_to is not None:
            assert len(envelope) == envelope_size(padded_to)


@pytest.mark.parametrize(
    ("purpose", "context"),
    [
        ("pop", (1, b"x")),
        ("hop", (2, b"x")),
        ("hop", (1, b"y")),
        ("hop", (b"x", 1)),
        ("hop", (1,)),
        ("hop", (1, b"x", b"")),
        ("hop", (1, "x")),
        ("hop", ()),
    ],
)
def test_envelope_of_other_purpose_or_context_stays_closed(
    purpose: str, context: tuple[bytes | int | str, ...]
) -> None:
    envelope = seal(KEY, RNG, b"hop", "hop", 1, b"x")
    assert refused(Code.BAD_ENVELOPE, unseal, KEY, envelope, purpose, *context)


def test_padded_and_bare_are_never_confused() -> None:
    forms = (None, 0, 4, 5, 8)
    for made in forms:
        envelope = seal(KEY, RNG, b"", "hop", padded_to=made)
        for read in forms:
            if read != made:
                assert refused(Code.BAD_ENVELOPE, unseal, KEY, envelope, "hop", padded_to=read)


@pytest.mark.parametrize("padded_to", [None, 12])
def test_envelope_with_any_flipped_bit_is_refused(padded_to: int | None) -> None:
    envelope = seal(KEY, RNG, b"ten bytes!", "hop", 1, padded_to=padded_to)
    for place in range(len(envelope)):
        for bit in (1, 128):
            altered = bytearray(envelope)
            altered[place] ^= bit
            assert refused(
                Code.BAD_ENVELOPE, unseal, KEY, bytes(altered), "hop", 1, padded_to=padded_to
            )


def test_envelope_of_other_length_is_refused() -> None:
    envelope = seal(KEY, RNG, b"ten bytes!", "hop", padded_to=12)
    wrong: list[object] = [envelope[:size] for size in range(len(envelope))]
    wrong += [
        envelope + b"\0",
        b"\0" + envelope,
        bytes(MAX_ENVELOPE + 1),
        envelope.hex(),
        None,
        3,
        [envelope],
    ]
    for each in wrong:
        assert refused(Code.BAD_ENVELOPE, unseal, KEY, each, "hop", padded_to=12)


@pytest.mark.parametrize(
    "padded",
    [
        b"\0\0\0\2ab" + b"\0\1",  # a byte after the text
        b"\0\0\0\2ab" + b"\1\0",
        b"\0\0\0\5abcd",  # the length exceeds the content
        b"\xff\xff\xff\xff" + b"abcd",
        b"\0\0\0\2ab\0",  # shorter than agreed
        b"\0\0\0\2ab\0\0\0",  # longer than agreed
        b"\0\0\0",
        b"",
    ],
)
def test_padding_of_envelope_is_strict(padded: bytes) -> None:
    """The sender knows the key and pads in any way."""
    salt = bytes(32)
    key = derive(KEY, "envelope", salt, "hop", 4)
    good = salt + AESGCM(key).encrypt(bytes(12), b"\0\0\0\2ab\0\0", None)
    assert unseal(KEY, good, "hop", padded_to=4) == b"ab"
    bad = salt + AESGCM(key).encrypt(bytes(12), padded, None)
    assert refused(Code.BAD_ENVELOPE, unseal, KEY, bad, "hop", padded_to=4)


def test_text_too_long_for_envelope_raises_error() -> None:
    with pytest.raises(ValueError, match="longer than its padding"):
        seal(KEY, RNG, b"12345", "hop", padded_to=4)
    with pytest.raises(ValueError, match="too long"):
        seal(KEY, RNG, bytes(MAX_ENVELOPE), "hop")
    largest = MAX_ENVELOPE - envelope_size(0)
    envelope = seal(KEY, RNG, b"", "hop", padded_to=largest)
    assert len(envelope) == MAX_ENVELOPE
    assert unseal(KEY, envelope, "hop", padded_to=largest) == b""


# --- to a slot

PIECE = b"\0\7" + bytes(32)
DEAL = bytes(range(32))


def batch() -> tuple[MatchKey, list[MatchKey], list[bytes]]:
    ephemeral, slots = new_key(RNG), [new_key(RNG) for _ in range(4)]
    pieces = [
        seal_to_slot(slot.public, ephemeral, PIECE, "piece", DEAL, i)
        for i, slot in enumerate(slots)
    ]
    return ephemeral, slots, pieces


def test_each_slot_opens_its_own_piece_only() -> None:
    ephemeral, slots, pieces = batch()
    for i, slot in enumerate(slots):
        for j, piece in enumerate(pieces):
            if i == j:
                assert open_from_slot(slot, ephemeral.public, piece, "piece", DEAL, i) == PIECE
            else:
                assert refused(
                    Code.BAD_ENVELOPE,
                    open_from_slot,
                    slot,
                    ephemeral.public,
                    piece,
                    "piece",
                    DEAL,
                    i,
                )
    assert {len(piece) for piece in pieces} == {len(PIECE) + envelopes.TAG}


def test_sealed_piece_bytes_match_documentation() -> None:
    ephemeral, slots, pieces = batch()
    secret = shared(slots[3], ephemeral.public)
    key = derive(secret, "slot", ephemeral.public, slots[3].public, "piece", "bare", DEAL, 3)
    assert AESGCM(key).decrypt(bytes(12), pieces[3], None) == PIECE


def test_slot_of_other_place_deal_or_batch_stays_closed() -> None:
    ephemeral, slots, pieces = batch()
    for purpose, *context in (
        ("piece", DEAL, 1),
        ("piece", bytes(32), 0),
        ("other", DEAL, 0),
        ("piece", DEAL),
    ):
        assert refused(
            Code.BAD_ENVELOPE,
            open_from_slot,
            slots[0],
            ephemeral.public,
            pieces[0],
            purpose,
            *context,
        )
    assert refused(
        Code.BAD_ENVELOPE, open_from_slot, slots[0], EVE.public, pieces[0], "piece", DEAL, 0
    )


def test_equal_slot_keys_still_have_different_ciphers() -> None:
    ephemeral = new_key(RNG)
    first, second = (seal_to_slot(BOB.public, ephemeral, PIECE, "piece", DEAL, i) for i in range(2))
    assert first != second


def test_opened_slot_key_lets_anybody_judge() -> None:
    ephemeral, slots, pieces = batch()
    judge = key_from_private(slots[2].private, slots[2].public, Code.BAD_SLOT_KEY)
    assert open_from_slot(judge, ephemeral.public, pieces[2], "piece", DEAL, 2) == PIECE


def test_sealed_piece_with_any_flipped_bit_is_refused() -> None:
    ephemeral, slots, pieces = batch()
    for place in range(len(pieces[0])):
        altered = bytearray(pieces[0])
        altered[place] ^= 1
        assert refused(
            Code.BAD_ENVELOPE,
            open_from_slot,
            slots[0],
            ephemeral.public,
            bytes(altered),
            "piece",
            DEAL,
            0,
        )
    for wrong in (
        b"",
        pieces[0][:15],
        pieces[0][:-1],
        pieces[0] + b"\0",
        bytes(MAX_ENVELOPE + 1),
        None,
    ):
        assert refused(
            Code.BAD_ENVELOPE, open_from_slot, slots[0], ephemeral.public, wrong, "piece", DEAL, 0
        )


def test_padded_pieces_have_one_size() -> None:
    ephemeral = new_key(RNG)
    sizes = set()
    for text in (b"", b"a", b"twelve bytes"):
        piece = seal_to_slot(BOB.public, ephemeral, text, "piece", DEAL, 0, padded_to=12)
        sizes.add(len(piece))
        assert open_from_slot(BOB, ephemeral.public, piece, "piece", DEAL, 0, padded_to=12) == text
        assert refused(
            Code.BAD_ENVELOPE, open_from_slot, BOB, ephemeral.public, piece, "piece", DEAL, 0
        )
    assert len(sizes) == 1
