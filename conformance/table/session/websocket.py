"""The WebSocket door, byte by byte: the limits of a frame, refused requests, and the same session
behind it.

The cases write WebSocket frames themselves, so that a frame can be wrong. They run if the link
leads to a WebSocket door.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable
from enum import IntEnum
from random import Random

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from protocol.identity.keys import Identity
from protocol.limits import FRAME_HEADER, MAX_FRAME, MAX_HANDSHAKE_FRAME
from protocol.session.session import Role, Session

GROUP = CaseGroup("websocket")

SWITCHED = 101  # status of a request that has opened a WebSocket (RFC 6455, 4.2.2)
KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="


class Opcode(IntEnum):
    """Opcodes of RFC 6455, 5.2."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


class RawWebSocket:
    """A connection to the door; a case writes every byte."""

    def __init__(
        self, arena: TableEnvironment, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.arena = arena
        self.reader = reader
        self.writer = writer
        self.headers = ""

    async def ask(self, *headers: str, path: str | None = None) -> int:
        """Ask for a WebSocket, and return the status of the answer."""
        link = self.arena.link
        lines = (
            f"GET {path or link.path or '/'} HTTP/1.1",
            f"Host: {link.host}:{link.port}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            KEY,
            "Sec-WebSocket-Version: 13",
            *headers,
            "",
            "",
        )
        self.writer.write("\r\n".join(lines).encode())
        answer = await self._within(self.reader.readuntil(b"\r\n\r\n"))
        self.headers = answer.decode("latin-1").lower()
        return int(answer.split()[1])

    def write(self, opcode: Opcode, data: bytes, last: bool = True) -> None:
        """Write one WebSocket frame, with a mask that changes nothing."""
        self.writer.write(bytes([last << 7 | opcode]) + masked_size(len(data)) + bytes(4) + data)

    async def read(self) -> tuple[Opcode, bytes]:
        """Read one WebSocket frame."""
        kind, size = await self._within(self.reader.readexactly(2))
        if kind & 0x70 or size > 126:
            raise CaseFailed("a frame of an extension, with a mask or larger than any of ours")
        if size == 126:
            size = int.from_bytes(await self._within(self.reader.readexactly(2)), "big")
        return Opcode(kind & 15), await self._within(self.reader.readexactly(size))

    async def ended(self) -> None:
        """Expect that the table hangs up; only a close frame may come first."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while (await self.read())[0] is Opcode.CLOSE:
                """And then the end."""
            raise CaseFailed("an answer to one who has not proved who it is")

    async def _within(self, reading: Awaitable[bytes]) -> bytes:
        try:
            async with asyncio.timeout(self.arena.site.patience):
                return await reading
        except TimeoutError:
            raise CaseFailed(f"no answer within {self.arena.site.patience:g} seconds") from None


def masked_size(size: int) -> bytes:
    """Return a frame's length in a client's encoding."""
    if size < 126:
        return bytes([0x80 | size])
    if size < 65_536:
        return b"\xfe" + size.to_bytes(2, "big")
    return b"\xff" + size.to_bytes(8, "big")


@contextlib.asynccontextmanager
async def connect_raw(arena: TableEnvironment) -> AsyncIterator[RawWebSocket]:
    """Return a connection to the door before any byte."""
    link = arena.link
    if not arena.site.local:
        await arena.site.pace.wait()
    local = (arena.address, 0) if arena.address else None
    if link.web_scheme == "wss":
        tls = ssl.create_default_context()
    else:
        tls = None
    try:
        reader, writer = await asyncio.open_connection(
            link.host, link.port, ssl=tls, local_addr=local
        )
    except OSError:
        raise CaseFailed("the table cannot be reached") from None
    try:
        yield RawWebSocket(arena, reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def open_websocket(arena: TableEnvironment) -> AsyncIterator[RawWebSocket]:
    """Return an open WebSocket."""
    async with connect_raw(arena) as found:
        if (status := await found.ask()) != SWITCHED:
            raise CaseFailed(f"the status {status}")
        yield found


def beginning(arena: TableEnvironment) -> bytes:
    """Return the first frame of a player."""
    rng = Random(1)
    return Session(
        Role.PLAYER, Identity(rng.randbytes(32)), rng.randbytes(32), rng, arena.link.fingerprint
    ).start()


async def answered(found: RawWebSocket) -> None:
    """Expect that the table continues the handshake, in one message with one frame."""
    opcode, data = await found.read()
    if (
        opcode is not Opcode.BINARY
        or int.from_bytes(data[:FRAME_HEADER], "big") != len(data) - FRAME_HEADER
    ):
        raise CaseFailed("an answer that is not one frame in one binary message")


# --- the request ---


def refused(*headers: str, path: str | None = None) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        async with connect_raw(arena) as found:
            if await found.ask(*headers, path=path) == SWITCHED:
                raise CaseFailed("a WebSocket")

    return run


GROUP.add("request-of-a-page", "3.6.3", "no WebSocket", refused("Origin: https://example.org"))
GROUP.add("request-of-a-page-without-a-name", "3.6.3", "no WebSocket", refused("Origin: null"))
GROUP.add(
    "request-for-another-path",
    "3.6.3",
    "no WebSocket",
    refused(path="/another/door/of/this/server"),
)


@GROUP.case("3.6.3", "no extension")
async def compression_offered(arena: TableEnvironment) -> None:
    async with connect_raw(arena) as found:
        if await found.ask("Sec-WebSocket-Extensions: permessage-deflate") != SWITCHED:
            raise CaseFailed("no WebSocket")
        if "sec-websocket-extensions" in found.headers:
            raise CaseFailed("an extension")


# --- messages ---


@GROUP.case("3.6.1", "welcome")
async def nothing_wrong(arena: TableEnvironment) -> None:
    await arena.guest()


@GROUP.case("3.6.2", "no answer, and the end")
async def text(arena: TableEnvironment) -> None:
    async with open_websocket(arena) as found:
        found.write(Opcode.TEXT, beginning(arena).decode("latin-1").encode())
        await found.ended()


@GROUP.case("3.6.2", "an answer")
async def message_in_pieces_with_a_ping_between(arena: TableEnvironment) -> None:
    async with open_websocket(arena) as found:
        first, *rest = (bytes([each]) for each in beginning(arena))
        found.write(Opcode.BINARY, first, last=False)
        found.write(Opcode.PING, b"here?")
        for number, piece in enumerate(rest, 1):
            found.write(Opcode.CONTINUATION, piece, last=number == len(rest))
        if await found.read() != (Opcode.PONG, b"here?"):
            raise CaseFailed("no pong")
        await answered(found)


def message(data: bytes | None = None, times: int = 1, less: int = 0) -> CaseBody:
    """Make a case: send a message of these bytes, or of a player's first frame, `times` times,
    without its last `less` bytes.
    """

    async def run(arena: TableEnvironment) -> None:
        async with open_websocket(arena) as found:
            whole = (beginning(arena) if data is None else data) * times
            found.write(Opcode.BINARY, whole[: len(whole) - less])
            await found.ended()

    return run


LONG = (MAX_FRAME + 1).to_bytes(FRAME_HEADER, "big") + bytes(MAX_FRAME + 1)
for name, section, body in (
    ("empty-message", "3.6.2", message(b"")),
    ("half-a-frame-in-a-message", "3.6.2", message(less=1)),
    ("two-frames-in-a-message", "3.6.2", message(times=2)),
    ("message-longer-than-any-frame", "3.6.2", message(LONG)),
    (
        "first-frame-above-its-limit",
        "2.1.3",
        message((MAX_HANDSHAKE_FRAME + 1).to_bytes(4, "big") + bytes(513)),
    ),
):
    GROUP.add(name, section, "no answer, and the end", body)


@GROUP.case("3.6.2", "no answer, and the end")
async def pieces_longer_than_any_frame(arena: TableEnvironment) -> None:
    async with open_websocket(arena) as found:
        found.write(Opcode.BINARY, LONG[:4_096], last=False)
        for _ in range(16):
            found.write(Opcode.CONTINUATION, bytes(4_096), last=False)
        await found.ended()
