"""Reports of tables: one encoding, one signature, bounds."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.directory.report import (
    LABEL,
    check_report,
    decode_report,
    encode_report,
    read_report,
    signed_part,
)
from protocol.errors import RemoteError
from protocol.limits import MAX_REPORT_GAMES, MAX_TABLE_REPORT
from tests.support.directories import ANN, BOB, refused, report

CHANGES = {
    "name": "Bob's table",
    "games": ("nim",),
    "address": "93.184.216.35:7500",
    "taken": 2,
    "free": 2,
    "number": 5,
    "expires": 6,
}


def test_report_decoded_is_what_was_signed():
    made = report()
    assert decode_report(encode_report(made)) == made
    assert made.link.fingerprint == made.fingerprint
    assert str(made.link) == f"fairdeal://93.184.216.34:7500/{made.fingerprint}"


def test_report_of_relay_has_web_link():
    made = report(address="wss://relay.example.org/t/abc")
    assert str(made.link).startswith("fairdeal+wss://relay.example.org/t/abc/")


@pytest.mark.parametrize("field", CHANGES)
def test_report_changed_in_one_field_is_refused(field):
    changed = report()._replace(**{field: CHANGES[field]})
    with refused(Code.BAD_SIGNATURE):
        check_report(changed)


def test_report_with_key_of_another_is_refused():
    with refused(Code.BAD_SIGNATURE):
        check_report(report()._replace(public=BOB.public))


def test_report_signed_for_another_purpose_is_refused():
    made = report()
    elsewhere = ANN.sign("head", signed_part(made))
    assert elsewhere != ANN.sign(LABEL, signed_part(made))
    with refused(Code.BAD_SIGNATURE):
        check_report(made._replace(signature=elsewhere))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"name": "evil\x1b[2J"}, Code.BAD_NAME),
        ({"name": "\u202eevil"}, Code.BAD_NAME),
        ({"games": ("nim\n",)}, Code.BAD_MESSAGE),
        ({"address": "example.org"}, Code.BAD_MESSAGE),
        ({"address": "[::ffff:127.0.0.1]:7500"}, Code.BAD_MESSAGE),
        ({"address": "0x7f000001:7500"}, Code.BAD_MESSAGE),
    ],
)
def test_report_with_unfit_text_is_refused(values, code):
    with refused(code):
        decode_report(encode_report(report(**values)))


@pytest.mark.parametrize(
    "change",
    [
        {"public": b"short"},
        {"name": ""},
        {"name": "n" * 25},
        {"name": b"bytes"},
        {"games": ()},
        {"games": ("nim", "nim")},
        {"games": ("nim", "ligretto")},
        {"games": tuple(f"game-{number}" for number in range(MAX_REPORT_GAMES + 1))},
        {"games": ("g" * 33,)},
        {"games": ("",)},
        {"address": ""},
        {"taken": True},
        {"taken": 1_000_001},
        {"free": None},
        {"number": "1"},
        {"expires": b""},
        {"signature": bytes(63)},
    ],
)
def test_report_out_of_shape_is_refused(change):
    made = report()._replace(**change)
    row = [*made]
    row[2] = list(made.games)
    with refused(Code.BAD_MESSAGE):
        read_report(wire.decode(wire.encode(row)))


@pytest.mark.parametrize("row", [None, [], 1, [*range(9)], [[]] * 10])
def test_something_else_than_report_is_refused(row):
    with refused(Code.BAD_MESSAGE):
        read_report(row)


def test_report_longer_than_bound_is_refused():
    host = ".".join(["a" * 60] * 4)
    path = "/" + "p" * 199
    made = report(address=f"wss://{host}{path}", games=tuple("abcdefgh"), name="\U0001f600" * 24)
    encoded = encode_report(made)
    assert len(encoded) > MAX_TABLE_REPORT
    with pytest.raises(RemoteError) as found:
        decode_report(encoded)
    assert found.value.code is Code.FRAME_SIZE
