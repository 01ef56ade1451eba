"""Control messages on the lines between two programs (docs/protocol/30).

A control message is a canonical MessagePack list that starts with its name. All other bytes on a
line are for the user of the line.

    ways    purpose of the lines, run of the sending program,
            [[address, port], ...] where it can be called
    alive   no news: the line is alive
    data    number of this part, number of the newest part received, flag for more parts, the part
    heard   number of the newest part received
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import LINE_PORTS, MAX_LINE_PART, MAX_WAYS
from protocol.schema import between, either, exactly, fields, flag, many, uint

RUN = 16  # bytes that distinguish runs of one program
_NAMES = (b"ways", b"alive", b"data", b"heard")
# first bytes of the messages: the length of the list, and the name
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
    """An IPv4 or IPv6 address and a port at which a program can be called."""

    address: str
    port: int


@dataclass(frozen=True)
class WaysMessage:
    """First message of a line, repeated after changes. `about` is 32 bytes that identify the lines'
    purpose.
    """

    about: bytes
    run: bytes
    ways: tuple[Endpoint, ...]


@dataclass(frozen=True)
class AliveMessage:
    """Sign of life on an idle line."""


@dataclass(frozen=True)
class DataMessage:
    """A part of a payload, numbered from 1, with the newest part that its sender has received (0:
    none).

    With `more`, the payload continues in the next part.
    """

    number: int
    heard: int
    more: bool
    part: bytes


@dataclass(frozen=True)
class HeardMessage:
    """The newest part that its sender has received."""

    number: int


LineMessage = WaysMessage | AliveMessage | DataMessage | HeardMessage


def encode_line(message: LineMessage) -> bytes:
    """Return the bytes of a message."""
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
    """Read a control message; None for other bytes. Raises: RemoteError(BAD_MESSAGE,
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
    """Return the endpoints, named by a peer, that a program may call, each once.

    With `same_machine`, both programs run on one machine, and a loopback address means the other
    program. A peer must not make a program call services that it has no business with. Forbidden
    are services of its own machine or of the system, and addresses that are unspecified, multicast,
    or valid only on one cable.
    """
    return tuple(dict.fromkeys(way for way in ways if _is_callable(way, same_machine)))


def _is_callable(way: Endpoint, same_machine: bool) -> bool:
    address = ip_address(way.address)
    if not LINE_PORTS[0] <= way.port <= LINE_PORTS[1]:
        return False
    if address.is_loopback:
        return same_machine
    return not (
        address.is_unspecified
        or address.is_multicast
        or address.is_link_local
        or _embeds_ipv4(address)
        or (isinstance(address, IPv4Address) and address.is_reserved)
    )


def _embeds_ipv4(address: IPv4Address | IPv6Address) -> bool:
    """Check for an IPv6 address that embeds an IPv4 address, which would escape the other rules."""
    return isinstance(address, IPv6Address) and bool(
        address.ipv4_mapped or address.sixtofour or address.teredo
    )
