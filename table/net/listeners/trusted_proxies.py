"""Proxies that the host has named: what they say of whom they speak for is believed, and nobody
else's word is.
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
    """What ADDRESS and ADDRESS/PREFIX name. Raises: LocalError saying how they look."""
    try:
        return tuple(_plain_network(ipaddress.ip_network(text.strip())) for text in texts)
    except ValueError:
        raise LocalError("wrong.proxy") from None


def _plain_network(network: Network) -> Network:
    """As `peers.plain` has addresses: in ::ffff:0:0/96 those of IPv4, which no peer is compared
    with otherwise.
    """
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
        """Whether this is one."""
        return host is not None and any(host in network for network in self._networks)

    def may_have(self, counted: str) -> bool:
        """Whether one may be among those who count as this address (`peers.counted`)."""
        try:
            where = ipaddress.ip_network(counted)
        except ValueError:  # a socket without addresses
            return False
        return any(
            network.version == where.version and network.overlaps(where)
            for network in self._networks
        )

    def forwarded(self, headers: Iterable[str]) -> Address | None:
        """Whom a chain of named proxies speaks for: the last in X-Forwarded-For that is none of
        them.

        What stands before that, anybody may have written. None if it cannot be told.
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
    """As proxies write it: some with a port."""
    if (found := _WITH_PORT.fullmatch(text)) is not None:
        text = found[1] or found[2] or ""
    try:
        return plain(ipaddress.ip_address(text)) if "%" not in text else None
    except ValueError:
        return None
