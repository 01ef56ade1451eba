"""Addresses from a directory that a player's program may call.

A directory is trusted with nothing: it may list addresses of somebody's home network, or services
that are no tables.
"""

import ipaddress

from protocol.identity.address import WEB_PORTS, Address, host_ip

IP = ipaddress.IPv4Address | ipaddress.IPv6Address

# IPv6 networks that are routed worldwide (RFC 4291, 2.4), and those among them that contain an IPv4
# address, which may be a private one: Teredo and 6to4. Translated ones (64:ff9b::) are elsewhere
_UNICAST = ipaddress.IPv6Network("2000::/3")
_TUNNELS = (ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("2002::/16"))
_FIRST_PORT = 1024  # ports below are for services of the system
# names that lead nowhere but into a local network
_LOCAL_NAMES = ("localhost", "local", "internal", "lan", "home", "arpa", "corp", "intranet")
# ports of other services: those that browsers do not call either (Fetch standard, "bad port"), then
# databases, queues and consoles that trust whoever reaches them
_OTHER_SERVICES = frozenset(
    {1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, *range(6665, 6670)}
    | {6679, 6697, 10080}
    | {1433, 1521, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4222, 5432, 5672, 5900, 5984}
    | {6379, 6443, 8086, 9042, 9092, 9100, 9200, 9300, 10250, 11211, 15672, 27017}
)


def is_public(ip: IP) -> bool:
    """Check that an address belongs to the public internet: not private, shared, loopback,
    link-local, multicast, reserved, nor an IPv6 form of an IPv4 address.
    """
    if isinstance(ip, ipaddress.IPv6Address) and (
        ip not in _UNICAST or any(ip in tunnel for tunnel in _TUNNELS)
    ):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def is_callable(address: Address) -> bool:
    """Check that an address may be called: a public IP address, or a name with a dot that leads to
    one, and no port of another well-known service.

    A name proves nothing yet: whoever calls must check where it leads.
    """
    usual = bool(address.web_scheme) and address.port == WEB_PORTS[address.web_scheme]
    if not usual and (address.port < _FIRST_PORT or address.port in _OTHER_SERVICES):
        return False
    ip = host_ip(address.host)
    if ip is not None:
        return is_public(ip)
    first, dot, last = address.host.rpartition(".")
    return bool(first and dot) and last not in _LOCAL_NAMES
