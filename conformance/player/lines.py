"""Lines between a player and the kit's tables, over TCP; those over WebSockets are in `web_line`."""

import asyncio
import contextlib
import socket
import struct
from typing import Protocol

from protocol.limits import READ_CHUNK


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
