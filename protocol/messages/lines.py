"""What two programs tell each other about the lines between them, beside what the lines carry
(docs/protocol/30).

A message of a line is a canonical MessagePack list, its name first, or something else, which is for
who uses the line.

    ways    what the lines are for, which run of the program speaks, [[address, port], ...] where it can be called
    alive   nothing has happened, and the line stands
    data    number of this part, number of the newest that has come from there, whether more of its payload follows,
            the part
    heard   number of the newest part that has come from there
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import LINE_PORTS, MAX_LINE_PART, MAX_WAYS
from protocol.schema import between, either, exactly, fields, flag, many, uint

RUN = 16  # bytes that tell one run of a program from another
_NAMES = (b"ways", b"alive", b"data", b"heard")
# How the messages begin: their lists' lengths, and their names.
HEADS = tuple(
    bytes([0x90 + size, 0xA0 + len(name)]) + name
    for name, size in zip(_NAMES, (4, 1, 5, 2), strict=True)
)
_WAYS = fields(
    exactly(32), exactly(RUN), many(fields(either(exactly(4), exactly(16)), uint()), 0, MAX_WAYS)
)
_DATA = fields(uint(), uint(), flag, between(0, MAX_LINE_PART))
_HEARD = fields(uint())


class Endpoint(NamedTuple):
    """Where a program can be called: an IPv4 or IPv6 address, and a port."""

    address: str
    port: int


@dataclass(frozen=True)
class WaysMessage:
    """The first message of a line, and again when something has changed. `about`: 32 bytes, what
    the lines are for.
    """

    about: bytes
    run: bytes
    ways: tuple[Endpoint, ...]


@dataclass(frozen=True)
class AliveMessage:
    """The line stands."""


@dataclass(frozen=True)
class DataMessage:
    """A numbered part of a payload, from 1 on, and the newest that its sender has heard (0: none).

    `more`: whether the payload goes on in the next.
    """

    number: int
    heard: int
    more: bool
    part: bytes


@dataclass(frozen=True)
class HeardMessage:
    """The newest part that its sender has heard."""

    number: int


LineMessage = WaysMessage | AliveMessage | DataMessage | HeardMessage


def encode_line(message: LineMessage) -> bytes:
    """The bytes of a message."""
    match message:
        case WaysMessage(about, run, ways):
            return wire.encode(
                ["ways", about, run, [[ip_address(way.address).packed, way.port] for way in ways]]
            )
        case DataMessage(number, heard, more, part):
            return wire.encode(["data", number, heard, more, part])
        case HeardMessage(number):
            return wire.encode(["heard", number])
    return wire.encode(["alive"])


def decode_line(raw: bytes) -> LineMessage | None:
    """The message in some bytes; None for what is not about lines. Raises: RemoteError(BAD_MESSAGE,
    BAD_ENCODING).
    """
    if not raw.startswith(HEADS):
        return None
    name, *rest = wire.decode(raw)
    if name == "ways" and _WAYS(rest):
        about, run, ways = rest
        return WaysMessage(
            about, run, tuple(Endpoint(str(ip_address(packed)), port) for packed, port in ways)
        )
    if name == "alive" and not rest:
        return AliveMessage()
    if name == "data" and _DATA(rest):
        return DataMessage(*rest)
    if name == "heard" and _HEARD(rest):
        return HeardMessage(*rest)
    raise RemoteError(Code.BAD_MESSAGE)


def callable_endpoints(ways: tuple[Endpoint, ...], *, same_machine: bool) -> tuple[Endpoint, ...]:
    """Those that a program may call, when somebody else has named them; each once.

    `same_machine`: both are on one machine, so that an address of the machine itself means the
    other one. A peer must not make a program knock where it has no business: at services of its own
    machine or of the system, at addresses that are nobody's, everybody's, or only mean something on
    one cable.
    """
    return tuple(dict.fromkeys(way for way in ways if _fit(way, same_machine)))


def _fit(way: Endpoint, same_machine: bool) -> bool:
    address = ip_address(way.address)
    if not LINE_PORTS[0] <= way.port <= LINE_PORTS[1]:
        return False
    if address.is_loopback:
        return same_machine
    return not (
        address.is_unspecified
        or address.is_multicast
        or address.is_link_local
        or _only_old(address)
        or (isinstance(address, IPv4Address) and address.is_reserved)
    )


def _only_old(address: IPv4Address | IPv6Address) -> bool:
    """An IPv4 address in IPv6 clothes: what it means would escape the other rules."""
    return isinstance(address, IPv6Address) and bool(
        address.ipv4_mapped or address.sixtofour or address.teredo
    )
