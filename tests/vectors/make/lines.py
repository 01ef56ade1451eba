"""Vectors of chapter 30: messages of a line, permitted addresses of a peer, and announcements."""

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from net.lan.announcement import parse_texts
from protocol import wire
from protocol.codes import Code
from protocol.limits import LINE_PORTS, MAX_WAYS
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
from tests.vectors.make.forms import Bad, Operation, Vector

READ = "read a message of a line"
ABOUT, RUN = b"\x11" * 32, b"\x22" * 16
FINGERPRINT = "abcdefghijklmnopqrstuvwxyz234567abcdefgh"


def read_line(message: bytes) -> dict[str, Any]:
    """Operation of 30.1.2: read a message of a line. Return nothing if it belongs to the purpose of
    the line, for example a parcel.
    """
    read = decode_line(message)
    if read is None:
        return {"message": None, "fields": []}
    name = type(read).__name__.removesuffix("Message").lower()
    return {"message": name, "fields": _plain(list(astuple(read)))}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def may_call(ways: list[list[Any]], same_machine: bool) -> dict[str, Any]:
    """Operation of 30.2.3: return the addresses that a program may call."""
    fit = callable_endpoints(tuple(Endpoint(*way) for way in ways), same_machine=same_machine)
    return {"called": [list(way) for way in fit]}


def read_announcement(texts: list[list[bytes]]) -> dict[str, Any]:
    """Operation of 30.6.2: read a TXT record. Return nothing unless it has exactly the required
    form.
    """
    read = parse_texts({key: value for key, value in texts})  # noqa: C416  # a list of two, not a pair
    return {
        "shown": None
        if read is None
        else [read.want.value, read.fingerprint, read.game, read.seats]
    }


OPERATIONS: dict[str, Operation] = {
    READ: read_line,
    "addresses that may be called": may_call,
    "read an announcement": read_announcement,
}


def vectors() -> Iterator[Vector]:
    """Return all vectors of this module."""
    ways = WaysMessage(ABOUT, RUN, (Endpoint("192.168.1.7", 7501), Endpoint("2001:db8::7", 7501)))
    too_many = wire.encode(["ways", ABOUT, RUN, [[bytes(4), 7501]] * (MAX_WAYS + 1)])
    short = wire.encode(["ways", ABOUT, RUN, [[bytes(5), 7501]]])
    faults = (
        Bad("an address of five bytes", {"message": short}, Code.BAD_MESSAGE),
        Bad("more addresses than there may be", {"message": too_many}, Code.BAD_MESSAGE),
        Bad("a byte too many", {"message": encode_line(ways) + b"\0"}, Code.BAD_ENCODING),
    )
    yield Vector(
        "30.1", "where somebody can be called", READ, {"message": encode_line(ways)}, faults
    )
    for name, message in (
        ("nowhere to be called", WaysMessage(ABOUT, RUN, ())),
        ("a line stands", AliveMessage()),
        ("the last part of a payload", DataMessage(3, 2, False, b"payload")),
        ("a part of a payload that goes on", DataMessage(2, 2, True, b"pay")),
        ("what has come", HeardMessage(3)),
    ):
        yield Vector("30.1", name, READ, {"message": encode_line(message)})
    yield Vector("30.1", "what is not about lines", READ, {"message": wire.encode(["entries", 1])})
    yield from _addresses()
    yield from _announcements()


def _addresses() -> Iterator[Vector]:
    hosts = (
        "192.168.1.7",
        "10.0.0.1",
        "203.0.113.9",
        "2001:db8::7",
        "fd00::7",
        "127.0.0.1",
        "::1",
        "0.0.0.0",
        "::",
        "255.255.255.255",
        "224.5.6.7",
        "ff02::1",
        "169.254.169.254",
        "fe80::1",
        "::ffff:10.0.0.1",
        "2002:a00:1::",
    )
    ways = [[host, 7501] for host in hosts] + [
        ["192.168.1.7", port] for port in (0, 22, *LINE_PORTS)
    ]
    for same_machine in (False, True):
        whose = "on one machine" if same_machine else "on two machines"
        given = {"ways": ways, "same_machine": same_machine}
        yield Vector(
            "30.2", f"addresses that a peer {whose} names", "addresses that may be called", given
        )


def _announcements() -> Iterator[Vector]:
    right = {"v": "2", "fingerprint": FINGERPRINT, "game": "nim", "seats": "2", "want": "play"}
    for name, other in (
        ("somebody waits for a player", {}),
        ("somebody waits to trade", {"want": "trade", "game": ""}),
        ("another version", {"v": "1"}),
        ("a fingerprint in capitals", {"fingerprint": FINGERPRINT.upper()}),
        ("a game that would steer a terminal", {"game": "\x1b[2J"}),
        ("as many seats as there are", {"seats": "10"}),
        ("more seats than there are", {"seats": "11"}),
    ):
        texts = [[key.encode(), value.encode()] for key, value in (right | other).items()]
        yield Vector("30.6", name, "read an announcement", {"texts": texts})
