"""Proxies in front of a table, over real sockets: limits count for the address that a known proxy
reports, and for no other.
"""

import asyncio
import socket
import struct

import pytest

from table.manager.server import TableServer
from tests.support.doors import HERE, raw, request, ways
from tests.support.tables import config, guest, until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.slow

ELSEWHERE = "127.0.0.2"  # all of 127.0.0.0/8 is this machine
VERSIONS = {
    1: lambda source: f"PROXY TCP4 {source} 192.0.2.1 4711 7500\r\n".encode(),
    2: lambda source: (
        b"\r\n\r\n\0\r\nQUIT\n"
        + struct.pack(
            ">BBH4s4sHH",
            0x21,
            0x11,
            12,
            socket.inet_aton(source),
            socket.inet_aton("192.0.2.1"),
            4711,
            7500,
        )
    ),
}


NOBODY_WAITS = {"outside_per_address": (0.5, 0.000001)}  # who has no place is turned away at once


def table_with(folder, *proxies, bounds=(), **values) -> TableServer:
    bounds = NOBODY_WAITS | dict(bounds)
    return TableServer(config(folder, ways=ways(*proxies), bounds=bounds, **values))


class Proxied(WireClient):
    """Client behind a stream proxy that sends a header first."""

    header = b""

    async def connect(self, address=None):
        await super().connect(address)
        self.writer.write(self.header)
        return self


async def through(table: TableServer, header: bytes, seed: int) -> WireClient:
    client = Proxied(table.link, seed, f"Guest {seed}")
    client.header = header
    return await client.connect()


async def dropped(client: WireClient) -> bool:
    said = await client.read_to_end()
    await client.close()
    return said == b""


@pytest.mark.parametrize("version", VERSIONS)
async def test_bounds_count_for_address_behind_named_proxy(tmp_path, version):
    header = VERSIONS[version]
    async with table_with(tmp_path, HERE, bounds={"per_address": 2}) as table:
        here = [
            await (await through(table, header("198.51.100.7"), seed)).greet() for seed in (1, 2)
        ]
        assert await dropped(await through(table, header("198.51.100.7"), 3))
        assert table.metrics.refused == {"crowded": 1}
        there = await (await through(table, header("198.51.100.8"), 4)).greet()
        assert {each.address for each in table.connections} == {"198.51.100.7", "198.51.100.8"}
        for client in (*here, there):
            await client.close()


@pytest.mark.parametrize(
    "header", [VERSIONS[1]("198.51.100.7"), VERSIONS[2]("198.51.100.7"), b"PROXY UNKNOWN\r\n"]
)
@pytest.mark.parametrize("proxies", [[], ["192.0.2.0/24"]])
async def test_proxy_header_of_stranger_is_bad_frame(tmp_path, header, proxies):
    async with table_with(tmp_path, *proxies) as table:
        assert await dropped(await through(table, header, 1))
        assert table.metrics.errors == {"frame_size": 1}
        assert not table.metrics.refused


async def test_client_bypassing_proxies_is_served_as_usual(tmp_path):
    async with table_with(tmp_path, ELSEWHERE) as table:
        ann = await guest(table, 1, "Ann")
        assert {each.address for each in table.connections} == {HERE}
        await ann.close()


@pytest.mark.parametrize(
    "said", [b"\0\0\0\x20" + bytes(32), b"GET / HTTP/1.1\r\n\r\n", b"PROXY TCP4 x y 1 2\r\n"]
)
async def test_named_proxy_with_invalid_header_is_disconnected(tmp_path, said):
    async with table_with(tmp_path, HERE) as table:
        reader, writer = await raw(table, said, web=False)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(1), 60)
        assert table.metrics.accepted == 0
        writer.close()


async def test_silent_named_proxy_is_disconnected(tmp_path):
    """The number of such connections is limited, so others are served."""
    bounds = {"handshake_seconds": 2, "half_open": 3}
    async with table_with(tmp_path, HERE, bounds=bounds) as table:
        silent = [await raw(table, b"PROXY TCP4 ", web=web) for web in (True, False) * 3]
        ann = await (await through(table, VERSIONS[1]("198.51.100.7"), 1)).greet()
        for reader, writer in silent:
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await asyncio.wait_for(reader.readexactly(1), 60)
            writer.close()
        await ann.close()


async def test_health_check_of_proxy_is_served(tmp_path):
    """Health checks: the proxy connects for itself."""
    async with table_with(tmp_path, HERE) as table:
        for header in (b"PROXY UNKNOWN\r\n", b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"):
            ann = await (await through(table, header, 1)).greet()
            assert {each.address for each in table.connections} == {HERE}
            await ann.close()
            await until(lambda: not table.connections)


async def test_health_check_reset_at_once_counts_for_no_address(tmp_path):
    """HAProxy's checks reset the connection before its address is known, and count for nobody."""
    async with table_with(tmp_path, HERE) as table:
        for port in (table.link.port, table.web_link.port):
            with socket.create_connection((HERE, port)) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.sendall(b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0")
        ann = await (await through(table, VERSIONS[1]("198.51.100.7"), 1)).greet()
        assert not table.metrics.errors and table.metrics.accepted == 1
        await ann.close()


async def asked(table: TableServer, *headers: str) -> tuple[bytes, asyncio.StreamWriter]:
    """Send a request to the WebSocket port, and return the answer."""
    reader, writer = await raw(table, request("/fairdeal", *headers))
    return await asyncio.wait_for(reader.readline(), 60), writer


async def test_forwarded_addresses_of_named_proxy_count(tmp_path):
    async with table_with(tmp_path, HERE, bounds={"per_address": 1}) as table:
        first = await asked(table, "X-Forwarded-For: 198.51.100.7")
        # the proxy's own entry is the last
        forged = await asked(table, "X-Forwarded-For: 203.0.113.9, 198.51.100.7")
        other = await asked(table, "X-Forwarded-For: 2001:db8::7")
        assert [answer[9:12] for answer, _ in (first, forged, other)] == [b"101", b"503", b"101"]
        assert {each.address for each in table.connections} == {"198.51.100.7", "2001:db8::/64"}
        for _, writer in (first, forged, other):
            writer.close()


async def test_forwarded_addresses_of_strangers_are_ignored(tmp_path, caplog):
    async with table_with(tmp_path, ELSEWHERE, bounds={"per_address": 1}) as table:
        first = await asked(table, "X-Forwarded-For: 198.51.100.7")
        assert first[0][9:12] == b"101"
        assert {each.address for each in table.connections} == {HERE}
        assert f"{HERE} sends X-Forwarded-For and is not named with --proxy" in caplog.text
        reader, writer = await raw(table, request("/fairdeal", "X-Forwarded-For: 198.51.100.8"))
        assert (await asyncio.wait_for(reader.read(), 60)).startswith(b"HTTP/1.1 503 ")
        assert table.metrics.refused == {"crowded": 1}
        for each in (first[1], writer):
            each.close()


@pytest.mark.parametrize(
    "headers", [[], ["X-Forwarded-For: "], ["X-Forwarded-For: unknown"], ["Forwarded: for=1.2.3.4"]]
)
async def test_named_proxy_must_send_client_address(tmp_path, headers):
    async with table_with(tmp_path, HERE) as table:
        answer, writer = await asked(table, *headers)
        assert answer[9:12] == b"400"
        assert table.metrics.accepted == 0
        writer.close()


async def test_too_frequent_client_behind_proxy_is_refused(tmp_path):
    """Rates of connections count by the true address too."""
    async with table_with(tmp_path, HERE, bounds={"arrivals_per_address": (1, 0.001)}) as table:
        header = VERSIONS[1]
        ann = await (await through(table, header("198.51.100.7"), 1)).greet()
        assert await dropped(await through(table, header("198.51.100.7"), 2))
        bob = await (await through(table, header("198.51.100.8"), 3)).greet()
        assert table.metrics.refused == {"hasty": 1}
        await ann.close()
        await bob.close()
