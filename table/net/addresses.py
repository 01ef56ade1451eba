"""What the operating system says of peers and errors, in the form the table needs it."""

import errno
import ipaddress
import os
import sys

from protocol.errors import LocalError

# between an address that a relay says and the relay's name: its word counts for its guests alone
BEHIND = "@"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def source(peer: object) -> str:
    """What counts as one address (`address_group`) at the other end of a socket; "None" if that has
    none.
    """
    host = address_of(peer)
    return "None" if host is None else address_group(host)


def address_group(host: Address) -> str:
    """An IPv4 address, or the first 64 bits of an IPv6 one, which one person has."""
    return str(host) if host.version == 4 else str(ipaddress.IPv6Network((host, 64), strict=False))


def groups(counted: str) -> tuple[str, ...]:
    """Return what else an address (`address_group`) counts for: the /56 and the /48 of an IPv6 one.

    A customer has a /56 at most lines, an organisation a /48. An address that a relay says counts
    for that relay alone.
    """
    address, behind, relay = counted.partition(BEHIND)
    if not address.endswith("/64"):
        return ()
    network = ipaddress.IPv6Network(address)
    return tuple(f"{network.supernet(new_prefix=size)}{behind}{relay}" for size in (56, 48))


def widest_group(counted: str) -> str:
    """Return the widest of the groups that an address counts for."""
    return (counted, *groups(counted))[-1]


def behind_relay(said: str | None, relay: str, number: int) -> str:
    """Return what counts as the address of a guest behind a relay.

    `said`: the relay's word about it; None, and what is no such address: there is none, and each
    guest, by its `number`, counts for itself.
    """
    try:
        known = said is not None and said == address_group(
            plain(ipaddress.ip_address(said.removesuffix("/64")))
        )
    except ValueError:
        known = False
    return f"{said if known else number}{BEHIND}{relay}"


def address_of(peer: object) -> Address | None:
    """The address in what a socket says of its other end."""
    return (
        plain(ipaddress.ip_address(peer[0].partition("%")[0])) if isinstance(peer, tuple) else None
    )


def plain(host: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, or itself."""
    return (host.ipv4_mapped or host) if isinstance(host, ipaddress.IPv6Address) else host


def allow_descriptors(wanted: int) -> int:
    """Raise this process's limit of file descriptors as far as `wanted`, if that may be done; what
    it is then.
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
