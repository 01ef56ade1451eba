"""TCP relay that counts frames and bytes in both directions: the cost of a deal on the wire, seen
from outside.
"""

import asyncio
import contextlib

from protocol.limits import FRAME_HEADER


class Counter:
    """Counts over all connections."""

    def __init__(self) -> None:
        self.frames = self.bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, host: str, port: int) -> asyncio.Server:
        """Listen on a free port and pass everything on to a server."""

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there_reader, there_writer = await asyncio.open_connection(host, port)
            for ends in ((reader, there_writer), (there_reader, writer)):
                task = asyncio.create_task(self._pass_on(*ends))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

        return await asyncio.start_server(accept, "127.0.0.1", 0)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                header = await reader.readexactly(FRAME_HEADER)
                body = await reader.readexactly(int.from_bytes(header, "big"))
                writer.write(header + body)
                self.frames += 1
                self.bytes += len(header) + len(body)
        writer.close()
