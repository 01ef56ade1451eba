"""The page for browsers, served by a table on a port of its own.

Its requests are no connections of the table: they have bounds of their own, so a visitor of the page takes
no place from a player. Arrivals have the rates of the table's other ports, counted apart.
"""

import asyncio
from http import HTTPStatus

from net.addresses import advertised_host, resolve
from net.page.folder import GZIP, installed_page, load_page, wheel_command
from net.page.server import PageServer
from protocol.errors import LocalError
from protocol.identity.address import HTTP_PORTS
from table.config import Bounds, Network
from table.net.addresses import (
    address_group,
    address_of,
    counted_address,
    listen_error,
    widest_group,
)
from table.net.admission import Admission
from table.net.last_words import BUSY
from table.net.listeners.trusted_proxies import TrustedProxies
from table.net.refusal_log import RefusalLog


class PageGate:
    """Judge of the page's visitors: see `net.page.server.Gate`. Requires a running loop."""

    def __init__(
        self, bounds: Bounds, refusals: RefusalLog, proxies: tuple[Network, ...] = ()
    ) -> None:
        """`refusals`: of the table, which writes the counts; `proxies`: those that name their clients in
        X-Forwarded-For.
        """
        self._named = TrustedProxies(proxies)
        # it counts arrivals alone: the server has bounds of its own for connections
        self._arrivals: Admission[object] = Admission(bounds, most=1)
        self._refusals = refusals
        self._loop = asyncio.get_running_loop()

    def admits(self, peer: object) -> bytes | None:
        """See `Gate`."""
        return None if self._is_named(peer) or self._may_come(counted_address(peer)) else BUSY

    def address(self, peer: object) -> str | None:
        """See `Gate`. Whoever has many addresses must not count as many."""
        return None if self._is_named(peer) else widest_group(counted_address(peer))

    def forwarded(self, said: str) -> str | HTTPStatus:
        """See `Gate`."""
        host = self._named.forwarded([said])
        if host is None:
            self._named.warn("X-Forwarded-For", self._loop.time())
            return HTTPStatus.BAD_REQUEST
        address = address_group(host)
        if not self._may_come(address):
            return HTTPStatus.SERVICE_UNAVAILABLE
        return widest_group(address)

    def _is_named(self, peer: object) -> bool:
        return self._named.has(address_of(peer))

    def _may_come(self, address: str) -> bool:
        now = self._loop.time()
        return not self._refusals.turned_away(
            self._arrivals.count_arrival(address, now), address, now
        )


async def open_page(address: tuple[str, int], gate: PageGate) -> PageServer:
    """Serve the installed page at host and port. Raises: LocalError if there is no page, or no such
    address.
    """
    folder = installed_page()
    if folder is None:
        raise LocalError("wrong.page.none", install=wheel_command())
    # browsers accept brotli over https only
    _, files = await asyncio.to_thread(load_page, folder, (GZIP,))
    host, port = await resolve(*address)
    try:
        return PageServer(host, port, files, gate)
    except OSError as error:
        raise listen_error(error, host, port) from None


def served_origin(page: PageServer) -> str:
    """Return the origin of the page as others see it, as browsers write it (RFC 6454)."""
    host = advertised_host(page.host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if page.port == HTTP_PORTS["http"] else f"http://{shown}:{page.port}"
