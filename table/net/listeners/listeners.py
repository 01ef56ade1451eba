"""All listeners of a table, and the protocols of their connections."""

import asyncio
from collections.abc import Callable

from commandline.optional_packages import require_websocket
from protocol.limits import MAX_VISITS
from table.config import Ways
from table.net.admission import ArrivalDecision, Refusal
from table.net.connection import Connection
from table.net.listeners.pending_proxied import PendingProxied, ProxyAdmission
from table.net.listeners.proxied_tcp import ProxiedTcp
from table.net.listeners.trusted_proxies import TrustedProxies


class Listeners:
    """Listeners of one table. A connection of a named proxy counts once its client is known."""

    def __init__(self, desk: ProxyAdmission, loop: asyncio.AbstractEventLoop, ways: Ways) -> None:
        self._desk, self._loop, self._ways = desk, loop, ways
        self._named = TrustedProxies(ways.proxies)
        self._waiting = PendingProxied(desk.bounds.half_open, desk.bounds.handshake_seconds)

    @property
    def descriptors(self) -> int:
        """Number of file descriptors beside those of counted connections: for proxies, and for
        visitors of the page.
        """
        waiting = self._desk.bounds.half_open if self._named else 0
        return waiting + (MAX_VISITS if self._ways.page is not None else 0)

    def judge_arrival(self, address: str) -> ArrivalDecision:
        """Decide about a connection from this address."""
        return (
            ArrivalDecision(True, None)
            if self._named.may_have(address)
            else self._desk.judge_arrival(address)
        )

    def plain(self, refusal: Refusal | None = None) -> asyncio.BaseProtocol:
        """Return the protocol for a TCP connection. `refusal`: the reason why there is no place for
        it.
        """
        if self._named:
            return ProxiedTcp(self._desk, self._loop, self._named, self._waiting, refusal)
        return Connection(self._desk, self._loop, refusal=refusal)

    def web(self) -> Callable[[Refusal | None], asyncio.BaseProtocol]:
        """Return the factory of protocols for WebSocket connections. Raises: LocalError if the library
        is missing.
        """
        with require_websocket():
            from table.net.listeners.websocket import WebSocketListener
        ways, proxies = self._ways, (self._named, self._waiting)
        return lambda refusal: WebSocketListener(self._desk, self._loop, ways, proxies, refusal)

    def close(self) -> None:
        """Drop the connections of proxies whose clients are not known yet."""
        self._waiting.close()
