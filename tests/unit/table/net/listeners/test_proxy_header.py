"""The PROXY protocol as its specification has it (haproxy, doc/proxy-protocol.txt, 2.1 and 2.2)."""

import ipaddress
import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.limits import MAX_PROXY_HEADER
from table.net.listeners.proxy_header import (
    MAX_LINE,
    SIGNATURE,
    BadProxyHeader,
    ProxyHeader,
    read_header,
)

FRAME = b"\0\0\0\1a"
EXAMPLE = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n"  # of section 2.1
HIGHEST = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"


def binary(command: int, kind: int, rest: bytes, length: int | None = None) -> bytes:
    return (
        SIGNATURE
        + struct.pack(">BBH", command, kind, len(rest) if length is None else length)
        + rest
    )


def tcp4(source: str = "192.0.2.7", more: bytes = b"") -> bytes:
    return binary(
        0x21,
        0x11,
        socket.inet_aton(source) + socket.inet_aton("192.0.2.1") + struct.pack(">HH", 1, 2) + more,
    )


def tcp6(source: str = "2001:db8::7") -> bytes:
    ends = socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, "::1")
    return binary(0x21, 0x21, ends + struct.pack(">HH", 1, 2))


GOOD = [
    (EXAMPLE, "192.168.0.1"),
    (b"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"),
    (f"PROXY TCP6 {HIGHEST} {HIGHEST} 65535 65535\r\n".encode(), HIGHEST),
    (b"PROXY TCP6 2001:DB8::1 ::1 0 1\r\n", "2001:db8::1"),
    (b"PROXY TCP6 ::ffff:192.0.2.7 ::ffff:192.0.2.1 1 2\r\n", "192.0.2.7"),
    (b"PROXY UNKNOWN\r\n", None),
    (f"PROXY UNKNOWN {HIGHEST} {HIGHEST} 65535 65535\r\n".encode(), None),
    (tcp4(), "192.0.2.7"),
    (tcp4(more=b"\x04\0\1x" * 20), "192.0.2.7"),
    (tcp6(), "2001:db8::7"),
    (tcp6("::ffff:192.0.2.7"), "192.0.2.7"),
    (binary(0x20, 0x00, b""), None),
    (binary(0x20, 0xFF, b"whatever"), None),
    (binary(0x21, 0x00, b""), None),
    (binary(0x21, 0x31, bytes(216)), None),
]


@pytest.mark.parametrize(("header", "source"), GOOD)
def test_proxy_header_is_read_once_complete(header, source):
    for end in range(len(header)):
        assert read_header(header[:end]) is None
    expected = ProxyHeader(source and ipaddress.ip_address(source), len(header))
    assert read_header(header) == expected
    assert read_header(header + FRAME) == expected


def test_longest_proxy_line_is_accepted():
    assert MAX_LINE in [len(header) for header, _ in GOOD]


BAD = [
    FRAME,
    b"GET / HTTP/1.1\r\n",
    b"proxy TCP4 ",
    EXAMPLE.replace(b"\r\n", b"\n"),
    EXAMPLE.replace(b"\r\n", b"\rx"),
    EXAMPLE.replace(b" 443", b""),
    EXAMPLE.replace(b" 443", b"  443"),
    EXAMPLE.replace(b"443", b"0443"),
    EXAMPLE.replace(b"443", b"65536"),
    EXAMPLE.replace(b"443", b"-1"),
    EXAMPLE.replace(b"443", "\u0664".encode()),
    EXAMPLE.replace(b"TCP4", b"TCP6"),
    EXAMPLE.replace(b"TCP4", b"TCP5"),
    EXAMPLE.replace(b"192.168.0.1 ", b"192.168.0.01 "),
    EXAMPLE.replace(b"192.168.0.1 ", b"192.168.0.256 "),
    EXAMPLE.replace(b"192.168.0.11", b"somewhere"),
    b"PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
    b"PROXY UNKNOWNS\r\n",
    b"PROXY UNKNOWN " + b"x" * MAX_LINE,
    SIGNATURE + b"\x11",
    binary(0x22, 0x11, bytes(12)),
    binary(0x21, 0x41, bytes(12)),
    binary(0x21, 0x13, bytes(12)),
    binary(0x21, 0x11, bytes(11)),
    binary(0x21, 0x21, bytes(35)),
    binary(0x21, 0x11, bytes(12), MAX_PROXY_HEADER),
]


@pytest.mark.parametrize("data", BAD)
def test_invalid_proxy_header_is_refused_at_once(data):
    with pytest.raises(BadProxyHeader):
        read_header(data)


@pytest.mark.slow
@given(st.ip_addresses(), st.integers(0, 65_535), st.binary(max_size=40), st.booleans())
def test_proxy_header_round_trips(source, port, more, text):
    family = f"TCP{source.version}"
    line = f"PROXY {family} {source} {source} {port} {port}\r\n".encode()
    kind = 0x11 if source.version == 4 else 0x21
    header = (
        line
        if text
        else binary(0x21, kind, source.packed * 2 + struct.pack(">HH", port, port) + more)
    )
    found = read_header(header + FRAME)
    assert found is not None and found.size == len(header)
    assert found.source in (source, getattr(source, "ipv4_mapped", None))


@pytest.mark.slow
@given(st.binary(max_size=300), st.sampled_from([b"", b"PROXY ", SIGNATURE]))
def test_more_bytes_never_change_proxy_header(data, prefix):
    """A header stays the header, and damage stays damage, whatever follows."""
    said = [_said(prefix + data[:end]) for end in range(len(data) + 1)]
    firsts = [each for each in said if each is not None]
    assert not firsts or said[said.index(firsts[0]) :] == [firsts[0]] * (
        len(said) - said.index(firsts[0])
    )


def _said(data):
    try:
        return read_header(data)
    except BadProxyHeader:
        return BadProxyHeader
