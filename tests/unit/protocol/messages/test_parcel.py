"""Parcels decode to exactly the encoded content, and nothing else decodes."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.limits import MAX_ENTRY, MAX_MESSAGE, MAX_PARCEL
from protocol.match.clock import Allowance
from protocol.match.setup import Person, parse_setup
from protocol.match.terms import Terms, encode_terms, make_terms
from protocol.messages.parcel import (
    EntriesParcel,
    Invitation,
    decode_parcel,
    encode_parcel,
    invite,
    split_entries,
)
from protocol.options import Selection

ANN, BOB = (Identity(bytes([number]) * 32) for number in (1, 2))
TERMS = make_terms(Selection("block-dominoes", (("target", 1),)), Selection("commutative"), (), 2)
INVITATION = invite(ANN, "Ann", TERMS, bytes(32), 1_700_000_000)
RECORDS = st.tuples(st.binary(min_size=1, max_size=300), st.binary(min_size=64, max_size=64))


def refusal(raw: bytes) -> Code:
    with pytest.raises(RemoteError) as caught:
        decode_parcel(raw)
    return caught.value.code


def changed(place: int, value: object) -> bytes:
    """Return the invitation with another field, without a new signature."""
    values = wire.decode(encode_parcel(INVITATION))
    values[place] = value
    return wire.encode(values)


def with_options(*options: tuple[str, int]) -> Terms:
    """Return the terms with these options."""
    return TERMS._replace(game=Selection(TERMS.game.name, options))


def resigned(**fields: object) -> bytes:
    """Return an invitation with other fields, correctly signed."""
    values = {
        "inviter": INVITATION.inviter,
        "terms": TERMS,
        "nonce": bytes(32),
        "created": 0,
    } | fields
    unsigned = Invitation(**values, signature=b"")
    signature = ANN.sign("invitation", wire.encode(unsigned.body()))
    return encode_parcel(Invitation(**values, signature=signature))


def test_invitation_round_trips():
    assert decode_parcel(encode_parcel(INVITATION)) == INVITATION


def test_setup_from_invitation_is_playable():
    setup = INVITATION.setup(Person("Bob", BOB.public))
    assert parse_setup(setup.body()) == setup
    assert not setup.has_table


@pytest.mark.slow
@given(
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**40),
    st.lists(RECORDS, min_size=1, max_size=5),
)
def test_entries_parcel_round_trips(match_id, first, records):
    parcel = EntriesParcel(match_id, first, tuple(records))
    assert decode_parcel(encode_parcel(parcel)) == parcel


@pytest.mark.slow
@given(st.binary(max_size=400))
def test_garbage_parcel_is_refused(raw):
    refusal(raw)


@given(st.data())
@pytest.mark.slow
def test_invitation_with_changed_byte_is_refused(data):
    raw = bytearray(encode_parcel(INVITATION))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    refusal(bytes(raw))


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        (0, "invite", Code.BAD_MESSAGE),
        (1, 1, Code.WRONG_VERSION),
        (2, ["Eve", ANN.public], Code.BAD_SIGNATURE),
        (2, ["Ann", BOB.public], Code.BAD_SIGNATURE),
        (3, encode_terms(TERMS._replace(game=Selection("draw-dominoes"))), Code.BAD_SIGNATURE),
        (
            3,
            encode_terms(TERMS._replace(game=Selection("block-dominoes", (("target", 2),)))),
            Code.BAD_SIGNATURE,
        ),
        (3, encode_terms(TERMS._replace(rules="99")), Code.BAD_SIGNATURE),
        (4, b"1" * 32, Code.BAD_SIGNATURE),
        (4, b"1" * 31, Code.BAD_MESSAGE),
        (6, bytes(64), Code.BAD_SIGNATURE),
    ],
)
def test_invitation_with_changed_field_is_refused(place, value, code):
    assert refusal(changed(place, value)) is code


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"inviter": Person("\x1b[31mAnn", ANN.public)}, Code.BAD_NAME),
        ({"terms": TERMS._replace(game=Selection("chess"))}, Code.UNKNOWN_RULES),
        ({"terms": TERMS._replace(rules="0")}, Code.UNKNOWN_RULES),
        # it needs a table
        ({"terms": TERMS._replace(dealing=Selection("layered"))}, Code.BAD_OPTIONS),
        # wrong order of names
        ({"terms": with_options(("target", 1), ("hand", 5))}, Code.BAD_OPTIONS),
        ({"terms": with_options(("target", 1), ("target", 1))}, Code.BAD_OPTIONS),
        ({"terms": with_options(("target", 0))}, Code.BAD_OPTIONS),
        ({"terms": TERMS._replace(seats=3)}, Code.BAD_OPTIONS),
        ({"terms": TERMS._replace(clock=Allowance().options())}, Code.BAD_OPTIONS),
    ],
)
def test_signed_but_unplayable_invitation_is_refused(fields, code):
    assert refusal(resigned(**fields)) is code


def test_own_invitation_cannot_be_accepted():
    for name, identity, code in (
        ("Ann", BOB, Code.NAME_TAKEN),
        ("A n n", BOB, Code.NAME_TAKEN),
        ("Bob", ANN, Code.BAD_IDENTITY),
        ("B\nob", BOB, Code.BAD_NAME),
    ):
        with pytest.raises(RemoteError) as caught:
            INVITATION.check_guest(Person(name, identity.public))
        assert caught.value.code is code


def test_parcel_size_is_checked_before_decoding():
    assert refusal(bytes(MAX_PARCEL + 1)) is Code.FRAME_SIZE
    head = bytes(64)
    for records in (
        [],
        [[b"", head]],
        [[bytes(MAX_ENTRY + 1), head]],
        [[b"1", head[1:]]],
        [[b"1", head, 0]],
    ):
        assert refusal(wire.encode(["entries", bytes(32), 0, records])) is Code.BAD_MESSAGE
    assert refusal(wire.encode(["entries", bytes(32), 0, [[b"1", head]], 0])) is Code.BAD_MESSAGE


def test_long_log_is_split_into_fitting_parcels():
    rng = Random(4)
    sizes = [MAX_ENTRY, *(rng.randrange(1, MAX_ENTRY) for _ in range(30)), *[1] * 5000]
    parcel = EntriesParcel(bytes(32), 7, tuple((rng.randbytes(size), bytes(64)) for size in sizes))
    parts = list(split_entries(parcel, MAX_MESSAGE))
    assert all(len(encode_parcel(part)) <= MAX_MESSAGE for part in parts)
    assert [decode_parcel(encode_parcel(part)) for part in parts] == parts
    assert sum((part.records for part in parts), ()) == parcel.records
    assert [part.first for part in parts] == [
        7 + sum(len(before.records) for before in parts[:at]) for at in range(len(parts))
    ]
