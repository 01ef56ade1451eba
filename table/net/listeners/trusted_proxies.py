"""Proxies that the host has named. The table believes their word about the address of a client, and
nobody else's.
"""

import ipaddress
import logging
import re
from collections.abc import Iterable

from protocol.errors import LocalError
from table.config import Network
from table.net.addresses import Address, address_of, plain

log = logging.getLogger(__name__)

# between two warnings of one kind: strangers make a proxy pass on whatever they like
QUIET_SECONDS = 60.0
MAPPED = 96  # bits before the IPv4 address in one that is mapped (RFC 4291, 2.5.5.2)
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Read texts of the form ADDRESS or ADDRESS/PREFIX. Raises: LocalError with the right form."""
    try:
        return tuple(_plain_network(ipaddress.ip_network(text.strip())) for text in texts)
    except ValueError:
        raise LocalError("wrong.proxy") from None


def _plain_network(network: Network) -> Network:
    """Return a network in ::ffff:0:0/96 as one of IPv4, as `plain` does with the addresses of peers."""
    mapped = (
        network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    )
    if mapped is None or network.prefixlen < MAPPED:
        return network
    return ipaddress.IPv4Network((mapped, network.prefixlen - MAPPED))


class TrustedProxies:
    """The addresses of named proxies."""

    def __init__(self, networks: tuple[Network, ...]) -> None:
        self._networks = networks
        self._warned: dict[str, float] = {}  # when

    def __bool__(self) -> bool:
        return bool(self._networks)

    def has(self, host: Address | None) -> bool:
        """Tell if a named proxy has this address."""
        return host is not None and any(host in network for network in self._networks)

    def may_have(self, counted: str) -> bool:
        """Tell if a named proxy may be in this address group (`counted_address`)."""
        try:
            where = ipaddress.ip_network(counted)
        except ValueError:  # a socket without addresses
            return False
        return any(
            network.version == where.version and network.overlaps(where)
            for network in self._networks
        )

    def forwarded(self, headers: Iterable[str]) -> Address | None:
        """Return the client of a chain of named proxies: the last address in X-Forwarded-For that
        is not theirs. Anybody may have written what stands before it. None: that is no address.
        """
        for text in reversed(",".join(headers).split(",")):
            host = _address(text.strip())
            if host is None or not self.has(host):
                return host
        return host

    def warn(self, what: str, now: float) -> None:
        """Tell the host what a named proxy does wrong, once a minute. `now`: the event loop's
        time.
        """
        if self._is_due(what, now):
            log.warning("a proxy that is named with --proxy sends no %s", what)

    def notice(self, peer: object, headers: Iterable[str], now: float) -> None:
        """Tell the host that a web server on this machine or network may have to be named, once a
        minute. `headers`: X-Forwarded-For of a request from a peer that is not named. From
        elsewhere anybody can send that.
        """
        host = address_of(peer)
        if any(headers) and host is not None and host.is_private and self._is_due("name", now):
            log.warning(
                "%s sends X-Forwarded-For and is not named with --proxy: all it speaks for count "
                "as one address",
                host,
            )

    def _is_due(self, what: str, now: float) -> bool:
        due = now - self._warned.get(what, -QUIET_SECONDS) >= QUIET_SECONDS
        if due:
            self._warned[what] = now
        return due


def _address(text: str) -> Address | None:
    """Read an address as proxies write it, some with a port; None for any other text."""
    if (found := _WITH_PORT.fullmatch(text)) is not None:
        text = found[1] or found[2] or ""
    try:
        return plain(ipaddress.ip_address(text)) if "%" not in text else None
    except ValueError:
        return None
