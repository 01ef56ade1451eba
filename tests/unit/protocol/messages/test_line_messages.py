"""Messages about lines: their shapes, and the addresses that a program may be made to call."""

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_FRAME, MAX_LINE_PART, MAX_WAYS
from protocol.messages.lines import (
    AliveMessage,
    DataMessage,
    Endpoint,
    HeardMessage,
    WaysMessage,
    callable_endpoints,
    decode_line,
    encode_line,
)

ONE = WaysMessage(
    bytes(32), bytes(16), (Endpoint("192.168.1.7", 7501), Endpoint("2001:db8::7", 7501))
)


@pytest.mark.parametrize(
    "message",
    [
        ONE,
        WaysMessage(bytes(32), bytes(16), ()),
        AliveMessage(),
        DataMessage(1, 0, False, b""),
        HeardMessage(7),
    ],
)
def test_line_message_round_trips(message):
    assert decode_line(encode_line(message)) == message


def test_longest_payload_fits_a_record():
    assert (
        len(encode_line(DataMessage(2**63 - 1, 2**63 - 1, True, bytes(MAX_LINE_PART))))
        < MAX_FRAME - 17
    )


@pytest.mark.parametrize(
    "value", [["entries", 1], ["alive", 1], ["else"], [], "alive", ["ways", 1, 2]]
)
def test_message_not_about_lines_is_ignored(value):
    assert decode_line(wire.encode(value)) is None


@pytest.mark.parametrize(
    "value",
    [
        ["ways", bytes(31), bytes(16), []],
        ["ways", bytes(32), bytes(15), []],
        ["ways", bytes(32), bytes(16), [[bytes(5), 7501]]],
        ["ways", bytes(32), bytes(16), [[bytes(4)]]],
        ["ways", bytes(32), bytes(16), [[bytes(4), 7501]] * (MAX_WAYS + 1)],
        ["data", 1, 0, False, "text"],
        ["data", 1, 0, False, bytes(MAX_LINE_PART + 1)],
        ["data", 1, 0, 0, b""],
        ["heard", b""],
    ],
)
def test_line_message_of_wrong_shape_is_refused(value):
    with pytest.raises(RemoteError) as caught:
        decode_line(wire.encode(value))
    assert caught.value.code is Code.BAD_MESSAGE


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "255.255.255.255",
        "224.5.6.7",
        "169.254.169.254",
        "::",
        "ff02::1",
        "fe80::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "127.0.0.1",
        "127.8.8.8",
        "::1",
    ],
)
def test_peer_address_in_forbidden_range_is_refused(address):
    assert callable_endpoints((Endpoint(address, 7501),), same_machine=False) == ()


@pytest.mark.parametrize("port", [0, 22, 25, 1023, 65_536, 2**40])
def test_peer_address_with_system_port_is_refused(port):
    assert callable_endpoints((Endpoint("192.168.1.7", port),), same_machine=True) == ()


def test_other_addresses_are_called_once_each():
    ways = tuple(
        Endpoint(address, 7501)
        for address in ("192.168.1.7", "10.0.0.1", "203.0.113.9", "fd00::7", "2a00::7")
    )
    assert callable_endpoints(ways + ways, same_machine=False) == ways
    assert callable_endpoints((Endpoint("::1", 7501),), same_machine=True) == (
        Endpoint("::1", 7501),
    )
