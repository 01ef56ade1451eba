"""A program's end of a WebSocket, against a server that makes it work beside messages."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from net.websocket_transport import WebSocketTransport, connect_websocket
from protocol import wire
from protocol.identity.keys import JoinLink
from protocol.limits import WEB_SIDE_FRAMES

Say = Callable[[bytes], None]
PING, PONG = b"\x89\x00", b"\x8a\x00"
PART, MORE = b"\x02\x00", b"\x00\x00"  # of a binary message that does not end
MESSAGE = wire.encode_frame(bytes(10_000))


class Server(asyncio.Protocol):
    """Answers the request for a WebSocket, and then does as the test says."""

    def __init__(self) -> None:
        self.web = ServerProtocol()
        self.opened = asyncio.Event()
        self.gone = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.opened.is_set():
            return
        self.web.receive_data(data)
        for request in self.web.events_received():
            self.web.send_response(self.web.accept(request))
        self.transport.write(b"".join(self.web.data_to_send()))
        self.opened.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()


class Client(asyncio.Protocol):
    """Keeps what comes."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes | None] = asyncio.Queue()

    def data_received(self, data: bytes) -> None:
        self.messages.put_nowait(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.messages.put_nowait(None)

    async def next(self) -> bytes | None:
        """Return the next message; None at the end."""
        async with asyncio.timeout(30):
            return await self.messages.get()


@asynccontextmanager
async def line() -> AsyncIterator[tuple[Server, Client, WebSocketTransport]]:
    """Connect a program to a server of a stranger."""
    servers: list[Server] = []

    def serve() -> Server:
        servers.append(Server())
        return servers[-1]

    listening = await asyncio.get_running_loop().create_server(serve, "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()
    link = JoinLink(host, port, web_scheme="ws", path="/")
    transport, client = await connect_websocket(link, Client)
    try:
        yield servers[0], client, transport
    finally:
        transport.abort()
        await client.next()
        servers[0].transport.abort()
        listening.close()


@pytest.mark.parametrize(
    "flood",
    [PING * 1_000, PONG * 1_000, PART + MORE * 999],
    ids=["pings", "pongs", "parts of a message"],
)
async def test_flood_beside_messages_ends_the_line(flood):
    async with line() as (server, client, _):
        server.transport.write(flood)
        assert await client.next() is None
        client.messages.put_nowait(None)


async def test_pings_and_parts_within_the_rate_do_no_harm():
    async with line() as (server, client, _):
        parts = Frame(Opcode.BINARY, MESSAGE[:3], fin=False), Frame(Opcode.CONT, MESSAGE[3:])
        split = b"".join(part.serialize(mask=False) for part in parts)
        server.transport.write((PING + PONG + split) * (WEB_SIDE_FRAMES[0] // 3))
        for _ in range(WEB_SIDE_FRAMES[0] // 3):
            assert await client.next() == MESSAGE


async def test_flood_is_noticed_before_all_of_it_is_taken_apart():
    async with line() as (server, client, transport):
        frames = 0
        web = transport._line
        process = web.process_event

        def count(event) -> None:
            nonlocal frames
            frames += 1
            process(event)

        web.process_event = count
        server.transport.write(PING * 100_000)
        assert await client.next() is None
        client.messages.put_nowait(None)
        assert frames < 2_000
