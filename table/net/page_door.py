"""The page for browsers, served by a table on a port of its own.

Its requests are no connections of the table: they have bounds of their own, so who loads the page takes
no place from who plays.
"""

import asyncio

from net.addresses import advertised_host, resolve
from net.page.folder import GZIP, installed_page, load_page, wheel_command
from net.page.server import PageServer
from protocol.errors import LocalError
from table.net.addresses import listen_error, source

HTTP_PORT = 80  # of an origin that names none


async def open_page(address: tuple[str, int]) -> PageServer:
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
        return PageServer(host, port, files, source)
    except OSError as error:
        raise listen_error(error, host, port) from None


def page_origin(page: PageServer) -> str:
    """Return the origin of the page as others see it, as browsers write it (RFC 6454)."""
    host = advertised_host(page.host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" if page.port == HTTP_PORT else f"http://{shown}:{page.port}"
