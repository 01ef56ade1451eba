"""TCP connection of a table with named proxies. A connection of a named proxy begins with a PROXY
header, and any other without.
"""

import asyncio
from typing import cast

from table.net.addresses import address_group, address_of, counted_address
from table.net.admission import Refusal
from table.net.connection import Connection, SharedBufferProtocol
from table.net.listeners.pending_proxied import PendingProxied, ProxyAdmission
from table.net.listeners.proxy_header import BadProxyHeader, read_header
from table.net.listeners.trusted_proxies import TrustedProxies


class ProxiedTcp(SharedBufferProtocol):
    """Protocol of a connection until its client is known. Then a `Connection` takes its place."""

    def __init__(
        self,
        desk: ProxyAdmission,
        loop: asyncio.AbstractEventLoop,
        named: TrustedProxies,
        waiting: PendingProxied,
        refusal: Refusal | None = None,
    ) -> None:
        """`refusal`: the reason why there is no place for it, if that is known already."""
        self._refusal = refusal
        self._desk, self._loop, self._named, self._waiting = desk, loop, named, waiting
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Tell a named proxy from a direct client."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        if peer is None:  # gone already, as proxies go that only look whether we are there
            self._transport.abort()
        elif self._named.has(address_of(peer)):
            self._waiting.enter(self._transport, self._loop)
        elif self._named.may_have(counted_address(peer)):
            self._admit(counted_address(peer))
        else:
            self._hand_over(counted_address(peer), self._refusal)

    def received(self, data: memoryview | bytes) -> None:
        """Read the header; what follows it is for the connection."""
        if self._transport.is_closing():
            return
        self._head += data
        try:
            header = read_header(self._head)
        except BadProxyHeader:
            self._named.warn("PROXY header", self._loop.time())
            self._transport.abort()
            return
        if header is None:
            return
        self._waiting.leave(self._transport)
        peer = self._transport.get_extra_info("peername")
        address = counted_address(peer) if header.source is None else address_group(header.source)
        connection = self._admit(address)
        if connection is not None:
            connection.received(self._head[header.size :])

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection that has gone before its client was known."""
        self._waiting.leave(self._transport)

    def _admit(self, address: str) -> Connection | None:
        comes, refusal = self._desk.judge_arrival(address)
        if comes:
            return self._hand_over(address, refusal)
        self._transport.abort()
        return None

    def _hand_over(self, address: str, refusal: Refusal | None) -> Connection:
        connection = Connection(self._desk, self._loop, address, refusal)
        self._transport.set_protocol(connection)
        connection.connection_made(self._transport)
        return connection
