"""Address of a table as text, in the only form that tables send to players."""

import ipaddress
import re
from dataclasses import dataclass

from protocol.limits import MAX_ADDRESS

MAX_PORT = 65_535  # largest TCP port
USUAL_PORT = 7500  # of a table, for a link without one
# port of a web server for a link without one (RFC 6455, section 3)
WEB_PORTS = {"ws": 80, "wss": 443}
# port of a web server for a URL without one (RFC 9110, section 4.2)
HTTP_PORTS = {"http": 80, "https": 443}
MAX_WEB_PATH = 200  # characters of the path
MAX_PAGE_ADDRESS = 500  # characters of the address of a page for browsers, before the `#`
# path of such a page: parts as in a WebSocket's path, and a slash or the name of a file
PAGE_PATH = r"/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*/)*(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*)?"
WEB_PATH = r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*"

_HOST = r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_.-]{1,253}))"
_TEXT = re.compile(rf"(?:(wss?)://)?{_HOST}(?::([1-9][0-9]{{0,4}}))?({WEB_PATH})", re.ASCII)
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
# last part of a host that systems may read as an IPv4 address
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


@dataclass(frozen=True)
class Address:
    """A table's TCP port, or its WebSocket at the `path` of a web server.

    With a WebSocket, `web_scheme` is "ws" or "wss". `host` is a name, or an IP address without
    brackets. `str(address)` is the text form.
    """

    host: str
    port: int
    web_scheme: str = ""
    path: str = ""

    def __str__(self) -> str:
        """Return host:port with IPv6 hosts in brackets; for a WebSocket its URL, without the
        default port.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        if not self.web_scheme:
            return f"{host}:{self.port}"
        if self.port == WEB_PORTS[self.web_scheme]:
            port = ""
        else:
            port = f":{self.port}"
        return f"{self.web_scheme}://{host}{port}{self.path}"


def parse_address_text(text: str) -> Address | None:
    """Read the text form of an address; None for any other text (5.5)."""
    if len(text) <= MAX_ADDRESS:
        found = _TEXT.fullmatch(text)
    else:
        found = None
    if found is None:
        return None
    web, literal, name, port, path = found.groups("")
    number = int(port) if port else WEB_PORTS.get(web, 0)
    address = Address(_canonical_ipv6(literal) if literal else name, number, web, path)
    fits = (
        _is_host(address.host)
        and 1 <= number <= MAX_PORT
        and len(path) <= MAX_WEB_PATH
        and bool(web or not path)
    )
    return address if fits and str(address) == text else None


def is_address(value: object) -> bool:
    """Match the text form of an address: a shape, as in `protocol.schema`."""
    return type(value) is str and parse_address_text(value) is not None


def may_redirect(known: Address, named: Address) -> bool:
    """Check that a table at the address `known` may send people to the address `named` (4.8.3).

    Both must be TCP or the same kind of WebSocket. The host must be the same, with any port, or a
    subdomain of a known name. A sibling domain may belong to anybody.
    """
    below = host_ip(known.host) is None and named.host.endswith(f".{known.host}")
    return known.web_scheme == named.web_scheme and (named.host == known.host or below)


def host_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address in `host`; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _canonical_ipv6(literal: str) -> str:
    """Return an IPv6 address in its usual form (RFC 5952); empty if `literal` is not an IPv6
    address.

    IPv4-mapped addresses are not accepted, because versions of Python write them differently.
    """
    try:
        address = ipaddress.IPv6Address(literal)
    except ValueError:
        return ""
    return "" if address.ipv4_mapped is not None else str(address)


def _is_host(host: str) -> bool:
    """Check for a name or an IP address, but no number that systems read as an address (0x7f.1,
    2130706433).
    """
    if host_ip(host) is not None:
        return True
    last = host.rpartition(".")[2]
    return bool(_NAME.fullmatch(host)) and not _NUMBER.fullmatch(last)
