"""Addresses of peers as connections are counted, and errors and limits of the operating system."""

import errno
import ipaddress
import os
import sys

from protocol.errors import LocalError

# between the address of a guest, as its relay gives it, and the relay's name
RELAY_MARK = "@"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def counted_address(peer: object) -> str:
    """Return the address group of a socket's peer; "None" for a socket without addresses."""
    host = address_of(peer)
    return "None" if host is None else address_group(host)


def address_group(host: Address) -> str:
    """Return an IPv4 address as text, or the /64 network of an IPv6 address, which one line has."""
    return str(host) if host.version == 4 else str(ipaddress.IPv6Network((host, 64), strict=False))


def wider_groups(counted: str) -> tuple[str, ...]:
    """Return the /56 and the /48 network around an address group of IPv6; nothing for IPv4.

    Most providers give a customer a /56, and an organisation a /48. Groups behind a relay are apart
    from all others.
    """
    address, mark, relay = counted.partition(RELAY_MARK)
    if not address.endswith("/64"):
        return ()
    network = ipaddress.IPv6Network(address)
    return tuple(f"{network.supernet(new_prefix=size)}{mark}{relay}" for size in (56, 48))


def widest_group(counted: str) -> str:
    """Return the widest network around an address group, or the group itself."""
    return (counted, *wider_groups(counted))[-1]


def relayed_address(said: str | None, relay: str, number: int) -> str:
    """Return the address group of a guest behind a relay.

    `said`: the group that the relay gives. If that is None or no address group, the guest counts by
    its `number`, alone.
    """
    try:
        known = said is not None and said == address_group(
            plain(ipaddress.ip_address(said.removesuffix("/64")))
        )
    except ValueError:
        known = False
    return f"{said if known else number}{RELAY_MARK}{relay}"


def address_of(peer: object) -> Address | None:
    """Return the IP address in a socket's name of its peer; None if there is none."""
    return (
        plain(ipaddress.ip_address(peer[0].partition("%")[0])) if isinstance(peer, tuple) else None
    )


def plain(host: Address) -> Address:
    """Return the IPv4 address that an IPv6 address is mapped from; any other as it is."""
    return (host.ipv4_mapped or host) if isinstance(host, ipaddress.IPv6Address) else host


def allow_descriptors(wanted: int) -> int:
    """Raise this process's limit of file descriptors to `wanted`, as far as the system permits.
    Return the new limit, at most `wanted`.
    """
    if sys.platform == "emscripten":  # a tab of a browser has no sockets
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed


def listen_error(error: OSError, host: str, port: int) -> LocalError:
    """Return the error for a socket that cannot listen at host and port."""
    # without what Python adds: the address, a second time
    why = os.strerror(error.errno or errno.EADDRINUSE)
    if error.errno in (errno.EACCES, errno.EPERM):
        return LocalError("wrong.listen.forbidden", host=host, port=port, why=why)
    return LocalError("wrong.listen.taken", host=host, port=port, why=why)
