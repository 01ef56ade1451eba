"""Links to a WebSocket port: through TLS and proxies, and the messages for failures."""

import asyncio
import ssl
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from random import Random

import pytest

from player.client.connection import connect
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from table.manager.server import TableServer
from tests.support.between import pass_on
from tests.support.doors import HERE, ways
from tests.support.mailservers import make_certificate
from tests.support.ports import closed_port
from tests.support.tables import config, until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.slow
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SOCKS_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    """Remove the proxies of this computer's environment."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def in_front(port, context=None, begin=None):
    """Run a proxy in front of a local port. `begin` handles the first bytes, or refuses."""
    serving = []

    async def serve(reader, writer):
        serving.append(asyncio.current_task())
        if begin is None or await begin(reader, writer):
            there = await asyncio.open_connection(HERE, port)
            await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))
            await there[1].wait_closed()
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, HERE, 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*serving)


class Nobody:
    def established(self, connection, table_key):
        raise AssertionError

    received = established


async def called(link) -> str:
    """Connect to a link that fails, and return the message."""
    with pytest.raises(LocalError) as heard:
        await connect(link, Identity(bytes(32)), Random(1), link.fingerprint, Nobody())
    return english_text(heard.value.phrase)


async def greeted(link) -> None:
    ann = await (await WireClient(link, 1, "Ann").connect()).greet()
    await ann.close()


async def test_tls_proxy_before_websocket_works(tmp_path, monkeypatch):
    certificate, context = make_certificate(tmp_path)
    async with (
        TableServer(config(tmp_path, ways=ways())) as table,
        in_front(table.web_link.port, context) as port,
    ):
        link = replace(table.web_link, web_scheme="wss", port=port)
        assert "certificate" in await called(link)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        await greeted(link)
        # the certificate has another name
        assert "certificate" in await called(replace(link, host="localhost"))
        await until(lambda: not table.connections)


async def test_missing_tls_is_reported(tmp_path):
    async def says_so(reader, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with (
        TableServer(config(tmp_path, ways=ways())) as table,
        in_front(table.web_link.port, begin=says_so) as port,
    ):
        assert "does not speak TLS" in await called(
            replace(table.web_link, web_scheme="wss", port=port)
        )
        await until(lambda: not table.connections)


async def test_proxy_of_player_network_is_used(tmp_path, monkeypatch):
    asked = []

    async def passes(reader, writer):
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        return True

    async def refuses(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    async with TableServer(config(tmp_path, ways=ways())) as table:
        link = replace(table.web_link, host="table.test")
        async with in_front(link.port, begin=passes) as port:
            monkeypatch.setenv("HTTP_PROXY", f"http://{HERE}:{port}")
            await greeted(link)
            assert asked == [f"CONNECT table.test:{link.port} HTTP/1.1".encode()]
        async with in_front(link.port, begin=refuses) as port:
            monkeypatch.setenv("HTTP_PROXY", f"http://{HERE}:{port}")
            assert "proxy" in await called(link)
        await greeted(table.web_link)  # no proxy for this machine
        await until(lambda: not table.connections)


async def test_port_without_websocket_is_explained(tmp_path):
    async with TableServer(config(tmp_path, ways=ways())) as table:
        link = table.web_link
        assert "404" in await called(replace(link, path="/other"))
        assert "is not a table that accepts WebSocket connections" in await called(
            replace(link, port=table.link.port)
        )
        port = closed_port()
        assert f"No table answers at ws://127.0.0.1:{port}/fairdeal" in await called(
            replace(link, port=port)
        )
        await until(lambda: not table.connections)


async def test_redirect_of_web_server_is_not_followed(tmp_path):
    async with TableServer(config(tmp_path, ways=ways())) as table:
        elsewhere = f"HTTP/1.1 302 Found\r\nLocation: {table.web_link.address_text}\r\nContent-Length: 0\r\n\r\n"

        async def redirects(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(elsewhere.encode())

        async with in_front(0, begin=redirects) as port:
            assert "302" in await called(replace(table.web_link, port=port))
        assert table.metrics.accepted == 0


async def test_other_table_behind_link_is_detected(tmp_path):
    """Certificate and name may be right, but the fingerprint identifies the table."""
    async with TableServer(config(tmp_path, ways=ways())) as table:
        connection = await connect(
            table.web_link, Identity(bytes(32)), Random(1), "a" * 40, Nobody()
        )
        assert await asyncio.wait_for(connection.gone, 60) == "wrong_table_key"
        await until(lambda: not table.connections)
