"""Tables with a WebSocket port or proxies, and clients for them."""

import asyncio
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect

from net.websocket_transport import NULL_LOGGER
from table.config import Ways
from table.manager.server import TableServer
from table.net.listeners.trusted_proxies import parse_networks

HERE = "127.0.0.1"


def ways(*proxies: str, origins: tuple[str, ...] = ()) -> Ways:
    """Configure a WebSocket port (any free one), named proxies, and origins of pages."""
    return Ways((HERE, 0), proxies=parse_networks(proxies), origins=origins)


@asynccontextmanager
async def stranger(table: TableServer, path: str = "", **values):
    """Connect to the WebSocket port with a client that is not our program."""
    assert table.web_link is not None
    url = table.web_link.address_text if not path else f"ws://{HERE}:{table.web_link.port}{path}"
    async with connect(
        url, proxy=None, logger=NULL_LOGGER, ping_interval=None, close_timeout=1, **values
    ) as line:
        yield line


async def raw(
    table: TableServer, data: bytes = b"", web: bool = True
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a bare connection, and send these bytes."""
    assert table.web_link is not None
    reader, writer = await asyncio.open_connection(
        HERE, table.web_link.port if web else table.link.port
    )
    writer.write(data)
    return reader, writer


def request(path: str = "/fairdeal", *headers: str) -> bytes:
    """Make the HTTP request that opens a WebSocket."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: localhost",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
        *headers,
    ]
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


async def closed_with(line: ClientConnection) -> int | None:
    """Wait until a WebSocket is closed. Return the close code, or None if the connection just
    breaks.
    """
    await asyncio.wait_for(line.wait_closed(), 60)
    return line.protocol.close_rcvd and line.protocol.close_rcvd.code
