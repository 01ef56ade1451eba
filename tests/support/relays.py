"""Relays for tests: in this process, on a free port, and tables behind them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from websockets.asyncio.client import connect

from net.websocket_transport import NULL_LOGGER, connect_websocket
from protocol import wire
from protocol.identity.address import Address
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.limits import MAX_RELAY_MESSAGE
from protocol.messages.relay import (
    LABEL,
    Challenge,
    Claim,
    ControlMessage,
    Guest,
    Open,
    decode,
    encode,
    guest_address,
    line_address,
    signed_fields,
    table_address,
)
from relay.server import RelayConfig, RelayServer
from table.config import Ways
from table.manager.server import TableServer
from tests.support.tables import config, until
from tests.support.wire_client import WireClient

HERE = "127.0.0.1"


def relay_config(**values: Any) -> RelayConfig:
    """Make a configuration for tests."""
    return RelayConfig(HERE, 0, **({"rng": Random(3)} | values))


@asynccontextmanager
async def behind(
    data: Path, *relays: Address, believed: bool = True, **values: Any
) -> AsyncIterator[TableServer]:
    """Run a table that is open at these relays. Its own port is not used."""
    ways = Ways(relays=relays, relay_addresses=believed)
    async with TableServer(config(data, ways=ways, **values)) as table:
        await until(lambda: table.open_relays == len(relays))
        yield table


@asynccontextmanager
async def relayed(data: Path, **values: Any) -> AsyncIterator[tuple[RelayServer, TableServer]]:
    """Run a relay, and a table behind it."""
    async with RelayServer(relay_config()) as relay, behind(data, *relay.urls, **values) as table:
        yield relay, table


async def relayed_guest(table: TableServer, seed: int = 1, name: str = "Ann") -> WireClient:
    """Connect by way of the table's first relay, and greet."""
    client = WireClient(table.relay_links[0], seed, name)
    return await (await client.connect()).greet()


class FakeTable(asyncio.Protocol):
    """A table's control line that does as the test says."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.messages: asyncio.Queue[ControlMessage | None] = asyncio.Queue()
        self._decoder = wire.FrameDecoder(MAX_RELAY_MESSAGE)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        for payload in self._decoder.feed(data):
            self.messages.put_nowait(decode(payload))

    def connection_lost(self, exc: Exception | None) -> None:
        self.messages.put_nowait(None)

    def say(self, message: ControlMessage) -> None:
        self.transport.write(encode(message))

    async def next(self) -> ControlMessage | None:
        """Return the next message; None at the end of the line."""
        async with asyncio.timeout(30):
            return await self.messages.get()

    async def challenge(self) -> bytes:
        """Return the bytes of the challenge."""
        message = await self.next()
        assert isinstance(message, Challenge)
        return message.challenge

    def claim(self, challenge: bytes, relay: str) -> Claim:
        """Sign a challenge."""
        signature = self.identity.sign(LABEL, *signed_fields(challenge, relay))
        return Claim(self.identity.public, relay, signature)


@asynccontextmanager
async def fake_table(relay: Address, identity: Identity) -> AsyncIterator[FakeTable]:
    """Open a control line."""
    address = table_address(relay)
    _, table = await connect_websocket(to(address), lambda: FakeTable(identity))
    try:
        yield table
    finally:
        table.transport.abort()


def to(address: Address) -> JoinLink:
    """Make a link to an address, whoever is there."""
    return replace(JoinLink(HERE, 1), fingerprint=None).with_address(address)


@asynccontextmanager
async def stranger(address: Address, local: str = HERE, **values: Any) -> AsyncIterator[Any]:
    """Open a WebSocket with a client that is not our program."""
    usual = {"ping_interval": None, "close_timeout": 1, "local_addr": (local, 0)}
    async with connect(
        str(address), proxy=None, logger=NULL_LOGGER, compression=None, **(usual | values)
    ) as line:
        yield line


async def open_fake(table: FakeTable, relay: RelayServer) -> str:
    """Claim a channel; return its fingerprint."""
    table.say(table.claim(await table.challenge(), str(relay.urls[0])))
    assert await table.next() == Open()
    return fingerprint(table.identity.public)


@asynccontextmanager
async def joined(
    relay: RelayServer, table: FakeTable, whose: str, local: str = HERE, **values: Any
) -> AsyncIterator[tuple[Any, Any]]:
    """Open a guest's WebSocket, with these options, and the table's line for it."""
    guest = stranger(guest_address(relay.urls[0], whose), local, **values)
    coming = asyncio.create_task(guest.__aenter__())
    told = await table.next()
    assert isinstance(told, Guest)
    async with stranger(line_address(relay.urls[0], told.token)) as line:
        end = await coming
        try:
            yield end, line
        finally:
            await guest.__aexit__(None, None, None)
