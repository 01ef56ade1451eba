"""Addresses to listen at, and addresses at which others can reach this machine."""

import contextlib
import ipaddress
import re
import socket

from protocol.errors import LocalError
from protocol.identity.address import MAX_PORT
from protocol.identity.keys import JoinLink, fingerprint
from protocol.view.phrase import Phrase, phrase

_HELP = phrase("listen.help")


def parse_address(text: str) -> tuple[str, int]:
    """Return host (without brackets) and port of HOST:PORT. Raises: LocalError with the right
    form.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not re.fullmatch("[0-9]{1,5}", port) or int(port) > MAX_PORT:
        raise LocalError("wrong.listen", help=_HELP)
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise LocalError("wrong.listen.brackets", help=_HELP)
    return host or "0.0.0.0", int(port)  # noqa: S104  # an empty host means all, as everywhere


async def resolve(host: str, port: int) -> tuple[str, int]:
    """Return a single address for a host: with several addresses, port 0 would give each its own
    port.

    Raises: LocalError.
    """
    with contextlib.suppress(ValueError):
        return str(ipaddress.IPv4Address(host)), port
    try:
        # imported late: callers of this function have loaded it, and the others need only addresses
        import asyncio

        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # UnicodeError for an impossible name such as a..b
        raise LocalError("wrong.listen.unknown", help=_HELP) from None
    address = found[0][4]
    return str(address[0]), int(address[1])


def is_wildcard(host: str) -> bool:
    """Check for the address that means all addresses of this machine. A name is no such address."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_unspecified
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Check for an address of the machine itself."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


def reach_phrase(host: str, port: int) -> Phrase:
    """Return the sentences for a host about the computers that can reach a link to `host` and
    `port`.
    """
    if is_loopback(host):
        return phrase("host.reach.here", port=port)
    try:
        everywhere = ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        everywhere = False
    if everywhere:
        return phrase("host.reach.internet", port=port)
    return phrase("host.reach.network", host=host, port=port)


def advertised_host(host: str) -> str:
    """Return the host for a link: the address itself, or for a wildcard the address that others
    see.
    """
    if not is_wildcard(host):
        return host
    family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            # sends nothing; only asks the routing table which own address would be used
            probe.connect((far, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def own_addresses(host: str) -> tuple[str, ...]:
    """Return the addresses at which others see a listener at `host`; for a wildcard of IPv4 and
    IPv6 if possible.
    """
    if not is_wildcard(host):
        return (host,) if _is_address(host) else ()
    found = [advertised_host("0.0.0.0"), advertised_host("::")]  # noqa: S104  # asked about, not listened at
    return tuple(dict.fromkeys(address for address in found if _is_address(address)))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def make_link(host: str, port: int, identity: bytes, *, direct: bool = False) -> JoinLink:
    """Return the link to this identity, which listens here; `direct`: to a player without a
    table.
    """
    return JoinLink(advertised_host(host), port, fingerprint(identity), direct)
