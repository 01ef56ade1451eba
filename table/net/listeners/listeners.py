"""All ways into a table: what accepts on its sockets, who is let in by whom, and what a web server
leads to.
"""

import asyncio
from collections.abc import Callable

from commandline.optional_packages import require_websocket
from protocol.limits import MAX_VISITS
from table.config import Ways
from table.net.admission import Knock, Refusal
from table.net.connection import Connection
from table.net.listeners.pending_proxied import PendingProxied, ProxyAdmission
from table.net.listeners.proxied_tcp import ProxiedTcp
from table.net.listeners.trusted_proxies import TrustedProxies


class Listeners:
    """The doors of one table. A named proxy's connections are counted once it is known for whom
    they are.
    """

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

    def knock(self, address: str) -> Knock:
        """Decide about a connection from this address."""
        return Knock(True, None) if self._named.may_have(address) else self._desk.knock(address)

    def plain(self, refusal: Refusal | None = None) -> asyncio.BaseProtocol:
        """The protocol of a TCP connection. `refusal`: why there is no place for it."""
        if self._named:
            return ProxiedTcp(self._desk, self._loop, self._named, self._waiting, refusal)
        return Connection(self._desk, self._loop, refusal=refusal)

    def web(self) -> Callable[[Refusal | None], asyncio.BaseProtocol]:
        """What makes what a connection to the WebSocket door is given to. Raises: LocalError if
        that cannot be.
        """
        with require_websocket():
            from table.net.listeners.websocket import WebSocketListener
        ways, proxies = self._ways, (self._named, self._waiting)
        return lambda refusal: WebSocketListener(self._desk, self._loop, ways, proxies, refusal)

    def close(self) -> None:
        """Nobody is waited for any more."""
        self._waiting.close()
