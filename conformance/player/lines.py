"""Lines between a player and the kit's tables: TCP, and WebSockets (3.6)."""

import asyncio
import contextlib
import socket
import struct
from typing import Protocol

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from protocol import wire
from protocol.limits import FRAME_HEADER, READ_CHUNK

# codes with which a player closes a WebSocket after a message that is not one frame (3.6.2), and
# those of a page
NOT_A_FRAME = {1003, 1007, 1009, 3003, 3007, 3009}


class Line(Protocol):
    """A player's line, as the table has it."""

    port: int  # of the table, to which the player has connected
    fault: str  # what the player did wrong on it, which ends it
    refused: bool  # whether the player has refused a message as no frame, below the session

    async def send(self, data: bytes, *, split: bool) -> None:
        """Send bytes, in parts if `split`; do nothing if the player is gone."""

    async def receive(self) -> bytes:
        """Return bytes of the player, or none at the end."""

    def abort(self) -> None:
        """Cut the line."""

    def close(self) -> None:
        """Hang up."""


class TcpLine:
    """A line over TCP. What is split arrives in single bytes."""

    fault = ""
    refused = False

    def __init__(self, accepted: socket.socket) -> None:
        self._socket = accepted
        self.port = int(accepted.getsockname()[1])

    async def send(self, data: bytes, *, split: bool) -> None:
        """Send bytes."""
        loop = asyncio.get_running_loop()
        parts = [data[at : at + 1] for at in range(len(data))] if split else [data]
        with contextlib.suppress(OSError):
            for part in parts:
                await loop.sock_sendall(self._socket, part)

    async def receive(self) -> bytes:
        """Return the next bytes."""
        try:
            return await asyncio.get_running_loop().sock_recv(self._socket, READ_CHUNK)
        except OSError:
            return b""

    def abort(self) -> None:
        """Cut the line by a reset."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


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
