"""Messages between a table and a directory."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.limits import MAX_DIRECTORY_MESSAGE, MAX_TABLE_REPORT
from protocol.messages.directory import Challenge, Listed, Refused, Report, decode, encode
from tests.support.directories import refused

MESSAGES = (
    Challenge(bytes(32), b"k" * 32, "2001:db8::1"),
    Report(b"r" * MAX_TABLE_REPORT, b"c" * 64),
    Listed(300),
    Refused(Code.TOO_MANY_HERE, 60),
)


@pytest.mark.parametrize("message", MESSAGES)
def test_message_decoded_is_what_was_encoded(message):
    frame = encode(message)
    assert len(frame) <= MAX_DIRECTORY_MESSAGE
    assert decode(frame[4:]) == message


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        [1],
        ["unknown"],
        ["challenge", bytes(31), bytes(32), "host"],
        ["challenge", bytes(32), bytes(32), ""],
        ["report", b"", bytes(64)],
        ["report", bytes(MAX_TABLE_REPORT + 1), bytes(64)],
        ["listed", 3_601],
        ["listed", True],
        ["refused", "too_many", 1, 1],
    ],
)
def test_message_out_of_shape_is_refused(value):
    with refused(Code.BAD_MESSAGE):
        decode(wire.encode(value))


def test_refusal_with_unknown_code_is_an_inner_one():
    assert decode(wire.encode(["refused", "of_the_future", 1])) == Refused(Code.INTERNAL, 1)
