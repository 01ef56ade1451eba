"""Lines between a player and the kit's tables over WebSockets (3.6). They need the package
`websockets`, which the kit needs for nothing else.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from conformance.player.lines import Line
from protocol import wire
from protocol.limits import FRAME_HEADER

CLOSE_SECONDS = 1.0  # for a player's answer when a WebSocket is closed
# codes with which a player closes a WebSocket after a message that is not one frame (3.6.2), and
# those of a page
NOT_A_FRAME = {1003, 1007, 1009, 3003, 3007, 3009}


class WebLine:
    """A line over a WebSocket. What is split arrives in fragments of a message: two, because a player
    may drop a line with very many (3.6.4).
    """

    def __init__(self, caller: ServerConnection) -> None:
        self._caller = caller
        self._closing: asyncio.Task[None] | None = None
        self.port = int(caller.local_address[1])
        self.fault = ""
        self.refused = False

    async def send(self, data: bytes, *, split: bool) -> None:
        """Send a message for each frame. Bytes that are no whole frame are a message, too."""
        with contextlib.suppress(ConnectionClosed):
            while data:
                message, data = _first_message(data)
                await self._caller.send([message[:1], message[1:]] if split else message)

    async def receive(self) -> bytes:
        """Return the next message, which must be a frame."""
        try:
            message = await self._caller.recv()
        except ConnectionClosed:
            self.refused = self._caller.close_code in NOT_A_FRAME
            return b""
        if isinstance(message, str):
            self.fault = "the player sent a text message over its WebSocket"
        elif len(message) < FRAME_HEADER or wire.frame_size(message) != len(message):
            self.fault = "the player sent a WebSocket message that is not one frame"
        else:
            return message
        return b""

    def abort(self) -> None:
        """Cut the line below the WebSocket."""
        self._caller.transport.abort()

    def close(self) -> None:
        """Close the WebSocket."""
        self._closing = asyncio.create_task(self._caller.close())


def _first_message(data: bytes) -> tuple[bytes, bytes]:
    """Split data into its first whole frame, or all of it if there is none, and the rest."""
    size = wire.frame_size(data)
    return (data[:size], data[size:]) if size <= len(data) else (data, b"")


async def serve_web(door: socket.socket, arrived: Callable[[Line], Awaitable[None]]) -> None:
    """Answer players by WebSocket until cancelled. `arrived` runs for as long as a line stands."""

    async def answer(caller: ServerConnection) -> None:
        await arrived(WebLine(caller))

    server = await serve(
        answer,
        sock=door.dup(),  # the server closes its own later than the kit closes the door
        compression=None,
        max_size=None,
        ping_interval=None,
        close_timeout=CLOSE_SECONDS,
    )
    try:
        await asyncio.Event().wait()
    finally:
        server.close(close_connections=False)
