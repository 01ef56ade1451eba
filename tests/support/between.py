"""Proxy between a client and a store. It can stop one direction, or speak TLS."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_HERE = "127.0.0.1"
# codes of PostgreSQL's requests before the connection begins
_TLS, _ENCRYPTED = 80877103, (80877103, 80877104)

Greeting = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Middle:
    """Connections through a port of this machine."""

    port: int = 0
    asks: asyncio.Event = field(default_factory=asyncio.Event)  # set: data of clients passes
    answers: asyncio.Event = field(default_factory=asyncio.Event)  # set: data of the server passes
    seen: int = 0  # bytes from clients since `asks` or `answers` was cleared

    def open(self) -> None:
        """Let everything pass."""
        self.asks.set()
        self.answers.set()

    def cut(self, direction: asyncio.Event) -> None:
        """Stop one direction. Its data is kept for later, as by a network that recovers."""
        self.seen = 0
        direction.clear()


@asynccontextmanager
async def between(port: int, greet: Greeting | None = None) -> AsyncIterator[Middle]:
    """Run a proxy on a new port for the server at `port`. `greet` handles the first messages of a
    client.
    """
    middle = Middle()
    middle.open()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            if greet is not None:
                await greet(reader, writer)
            there = await asyncio.open_connection(_HERE, port)
            await asyncio.gather(
                _passed(reader, there[1], middle.asks, middle),
                _passed(there[0], writer, middle.answers),
            )
        tasks.discard(task)

    server = await asyncio.start_server(serve, _HERE, 0)
    middle.port = server.sockets[0].getsockname()[1]
    try:
        yield middle
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _passed(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    way: asyncio.Event,
    middle: Middle | None = None,
) -> None:
    """Pass data on until one side disconnects."""
    try:
        while data := await reader.read(1 << 16):
            if middle is not None:
                middle.seen += len(data)
            await way.wait()
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on all data until one side disconnects in any way. Then disconnect the other side."""
    try:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
    finally:
        writer.close()


def speaking_tls(context: ssl.SSLContext) -> Greeting:
    """Make a greeting of a PostgreSQL server with TLS, because the servers from pip have none."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (asked := int.from_bytes((await reader.readexactly(8))[4:], "big")) in _ENCRYPTED:
            writer.write(b"S" if asked == _TLS else b"N")
            await writer.drain()
            if asked == _TLS:
                await writer.start_tls(context)
                return
        raise OSError

    return greet
