"""What the operating system says of peers and errors, in the form the table needs it."""

import ipaddress
import resource
import traceback


def where(error: BaseException) -> str:
    """The lines of code that an unexpected error came through, without its text: that may quote a peer."""
    return "".join(traceback.format_tb(error.__traceback__))


def source(peer: object) -> str:
    """What counts as one address: an IPv4 address, or the first 64 bits of an IPv6 one, which one person has."""
    host = ipaddress.ip_address(peer[0].partition("%")[0]) if isinstance(peer, tuple) else None
    if not isinstance(host, ipaddress.IPv6Address):
        return str(host)
    if host.ipv4_mapped is not None:
        return str(host.ipv4_mapped)
    return str(ipaddress.IPv6Network((host, 64), strict=False))


def allow_descriptors(wanted: int) -> int:
    """Raise this process's limit of file descriptors as far as `wanted`, if that may be done; what it is then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed
