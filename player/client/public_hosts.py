"""Calls to addresses that come from a directory: to public IP addresses alone."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

from protocol.directory.reachable import is_callable, is_public
from protocol.errors import LocalError
from protocol.identity.address import Address

# the IP addresses to which a host leads. Raises: OSError
LookUp = Callable[[Address], Awaitable[list[str]]]


async def ask_system(address: Address) -> list[str]:
    """Look up a host as the system does. Raises: OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


async def find_public_host(address: Address, look_up: LookUp = ask_system) -> str:
    """Return the IP address to call; of a name one to which it leads now. A later question may have
    another answer, so the connection is made to this one.

    Raises: LocalError if it is none that may be called, or if a name leads to one that is not
    public; OSError without an answer.
    """
    if not is_callable(address):
        raise LocalError("wrong.directory.private", where=str(address), ip=address.host)
    hosts = await look_up(address)
    for host in hosts:
        if not is_public(ipaddress.ip_address(host.partition("%")[0])):
            raise LocalError("wrong.directory.private", where=str(address), ip=host)
    return hosts[0]
