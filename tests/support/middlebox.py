"""A box on the way to a table, as a NAT or a VPN is one: it may forget the lines that stand."""

import asyncio
import contextlib

HERE = "127.0.0.1"


class Middlebox:
    """Forwards every line to one port.

    A line that it has forgotten still stands for both ends, and whatever they send is acknowledged.
    Nothing passes any more, not even its end.
    """

    def __init__(self, to: int) -> None:
        self._to = to
        self._forwarded: set[asyncio.StreamWriter] = set()  # one end of a line each
        self._tasks: set[asyncio.Task[None]] = set()
        self.lines = 0  # how many there were

    async def __aenter__(self) -> "Middlebox":
        self._server = await asyncio.start_server(self._accept, HERE, 0)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def forget(self) -> None:
        """Let nothing through on the lines that stand now."""
        self._forwarded.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(HERE, self._to)
        self.lines += 1
        self._forwarded |= {writer, back}
        for ends in ((reader, back), (there, writer)):
            self._tasks.add(asyncio.create_task(self._carry(*ends)))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                while data := await reader.read(1 << 16):
                    if writer in self._forwarded:
                        writer.write(data)
            if writer in self._forwarded:
                writer.close()
            else:
                await asyncio.Event().wait()
        finally:
            writer.transport.abort()
