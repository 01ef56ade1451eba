"""Where a table is called: the text of it that tables tell players, of which there is exactly one
for each place.
"""

import ipaddress
import re
from dataclasses import dataclass

from protocol.limits import MAX_ADDRESS

MAX_PORT = 65_535  # of TCP
# where a web server is asked if a link does not say (RFC 6455, section 3)
WEB_PORTS = {"ws": 80, "wss": 443}
MAX_WEB_PATH = 200  # characters
WEB_PATH = r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*"

_HOST = r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_.-]{1,253}))"
_TEXT = re.compile(rf"(?:(wss?)://)?{_HOST}(?::([1-9][0-9]{{0,4}}))?({WEB_PATH})", re.ASCII)
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
# the last part of what systems may take for an IPv4 address
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


@dataclass(frozen=True)
class Address:
    """A table's TCP port, or with `web` ("ws", "wss") its WebSocket door at this `path` of a web
    server.

    `host` is a name or an IP address without brackets. `str(address)` is the text of it.
    """

    host: str
    port: int
    web_scheme: str = ""
    path: str = ""

    def __str__(self) -> str:
        """host:port, IPv6 hosts in brackets; of a web server, its URL, without the port that is
        usual there.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        if not self.web_scheme:
            return f"{host}:{self.port}"
        port = "" if self.port == WEB_PORTS[self.web_scheme] else f":{self.port}"
        return f"{self.web_scheme}://{host}{port}{self.path}"


def parse_address_text(text: str) -> Address | None:
    """The address in a text that a program wrote, or None for any other text than an address' own
    (5.5).
    """
    found = _TEXT.fullmatch(text) if len(text) <= MAX_ADDRESS else None
    if found is None:
        return None
    web, literal, name, port, path = found.groups("")
    number = int(port) if port else WEB_PORTS.get(web, 0)
    address = Address(_usual(literal) if literal else name, number, web, path)
    fits = (
        _is_host(address.host)
        and 1 <= number <= MAX_PORT
        and len(path) <= MAX_WEB_PATH
        and bool(web or not path)
    )
    return address if fits and str(address) == text else None


def is_address(value: object) -> bool:
    """Whether it is the text of an address: a shape, as in `protocol.schema`."""
    return type(value) is str and parse_address_text(value) is not None


def may_redirect(known: Address, named: Address) -> bool:
    """Whether a table that is known at one address may send people to the other (4.8.3): the same
    kind of door on the same host, at any port, or for a name on one below it. A neighbour's name
    may be anybody's.
    """
    below = host_ip(known.host) is None and named.host.endswith(f".{known.host}")
    return known.web_scheme == named.web_scheme and (named.host == known.host or below)


def host_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _usual(literal: str) -> str:
    """An IPv6 address as it is written (RFC 5952), or nothing if it is none.

    One that stands for an IPv4 address is none here: that has a text of its own, which Pythons
    write differently.
    """
    try:
        address = ipaddress.IPv6Address(literal)
    except ValueError:
        return ""
    return "" if address.ipv4_mapped is not None else str(address)


def _is_host(host: str) -> bool:
    """Whether it is a name or an IP address, and not a number that systems take for one (0x7f.1,
    2130706433).
    """
    if host_ip(host) is not None:
        return True
    last = host.rpartition(".")[2]
    return bool(_NAME.fullmatch(host)) and not _NUMBER.fullmatch(last)
