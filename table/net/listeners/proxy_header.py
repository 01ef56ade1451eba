"""Header of the PROXY protocol, in which a stream proxy names its client before any other byte. Pure:
bytes come in.

Source: "The PROXY protocol, versions 1 & 2" (haproxy, doc/proxy-protocol.txt), sections 2.1 and
2.2. Version 1 is a line of text, version 2 is binary; what follows the addresses of version 2 (TLV)
is skipped.
"""

import ipaddress
import re
import struct
from typing import NamedTuple

from protocol.identity.address import MAX_PORT
from protocol.limits import MAX_PROXY_HEADER
from table.net.addresses import Address, plain

TEXT = b"PROXY "
MAX_LINE = 107  # bytes with the end of the line: the longest that version 1 has
UNKNOWN = b"PROXY UNKNOWN"
PORT = re.compile(rb"0|[1-9][0-9]{0,4}")
KINDS: dict[bytes, type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address]] = {
    b"TCP4": ipaddress.IPv4Address,
    b"TCP6": ipaddress.IPv6Address,
}

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
# signature, version and command, family and transport, length of what follows
FIXED = struct.Struct(">12sBBH")
LOCAL, PROXY = 0x20, 0x21  # version 2 with its commands
FAMILIES, TRANSPORTS = 4, 3  # unspecified, IPv4, IPv6, Unix; unspecified, stream, datagram
TCP4, TCP6 = 0x11, 0x21
# bytes of an address, and of all that a header has on addresses and ports
BLOCKS = {TCP4: (4, 12), TCP6: (16, 36)}


class BadProxyHeader(ValueError):
    """This is no PROXY header."""


class ProxyHeader(NamedTuple):
    """Client that a proxy names. `source`: None if the proxy connects for itself, or does not know.
    `size`: bytes of the header.
    """

    source: Address | None
    size: int


def read_header(data: bytes) -> ProxyHeader | None:
    """Read the header at the beginning of a connection; None as long as it is not complete. Raises:
    BadProxyHeader as soon as the bytes cannot become one.
    """
    if data[: len(TEXT)] == TEXT[: len(data)]:
        return _line(data)
    if data[: len(SIGNATURE)] == SIGNATURE[: len(data)]:
        return _binary(data)
    raise BadProxyHeader


def _line(data: bytes) -> ProxyHeader | None:
    line, end, _ = data[:MAX_LINE].partition(b"\r\n")
    if not end:
        if len(data) >= MAX_LINE or b"\n" in line or b"\r" in line[:-1]:
            raise BadProxyHeader
        return None
    size = len(line) + len(end)
    if line == UNKNOWN or line.startswith(UNKNOWN + b" "):
        return ProxyHeader(None, size)
    words = line.split(b" ")
    if len(words) != len(("PROXY", "TCP4", "source", "destination", "port", "port")):
        raise BadProxyHeader
    _, family, source, destination, *ports = words
    if not all(PORT.fullmatch(port) and int(port) <= MAX_PORT for port in ports):
        raise BadProxyHeader
    _parse_ip(family, destination)
    return ProxyHeader(plain(_parse_ip(family, source)), size)


def _parse_ip(family: bytes, text: bytes) -> Address:
    kind = KINDS.get(family)
    if kind is None or b"%" in text:
        raise BadProxyHeader
    try:
        return kind(text.decode("ascii"))
    except ValueError:  # not ASCII, or no address
        raise BadProxyHeader from None


def _binary(data: bytes) -> ProxyHeader | None:
    if len(data) < FIXED.size:
        if data[len(SIGNATURE) :] and data[len(SIGNATURE)] not in (LOCAL, PROXY):
            raise BadProxyHeader
        return None
    _, command, kind, length = FIXED.unpack_from(data)
    size = FIXED.size + length
    if command not in (LOCAL, PROXY) or size > MAX_PROXY_HEADER:
        raise BadProxyHeader
    if command == PROXY and (kind >> 4 >= FAMILIES or kind & 15 >= TRANSPORTS):
        raise BadProxyHeader
    width, least = BLOCKS.get(kind, (0, 0)) if command == PROXY else (0, 0)
    if length < least:
        raise BadProxyHeader
    if len(data) < size:
        return None
    source = ipaddress.ip_address(data[FIXED.size : FIXED.size + width]) if width else None
    return ProxyHeader(source and plain(source), size)
