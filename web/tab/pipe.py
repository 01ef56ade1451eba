"""A line between two protocols in one event loop, as two transports of asyncio."""

import asyncio
from typing import Any

HERE = ("127.0.0.1", 0)  # the address of both ends


class PipeEnd(asyncio.Transport):
    """One end of a pipe. The other end's protocol gets what is written, in a later turn."""

    other: "PipeEnd"

    def __init__(self, protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._closing = False
        self._is_paused = False
        self._arrived: list[bytes] = []  # bytes that came while nothing was read
        self._over = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the address of the other end as `peername`."""
        return HERE if name == "peername" else default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Change the protocol."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the present protocol."""
        return self._protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes to the other end."""
        if data and not self._closing:
            self._loop.call_soon(self.other._take, bytes(data))

    def can_write_eof(self) -> bool:
        """Return False: a pipe ends in both directions."""
        return False

    def write_eof(self) -> None:
        """Close the pipe: nobody at the other end writes after the end."""
        self.close()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: no bytes wait at this end."""

    def get_write_buffer_size(self) -> int:
        """Return the bytes that the other end has not read."""
        return sum(map(len, self.other._arrived))

    def pause_reading(self) -> None:
        """Give the protocol no bytes for now."""
        self._is_paused = True

    def resume_reading(self) -> None:
        """Give the protocol what has come meanwhile."""
        self._is_paused = False
        self._loop.call_soon(self._deliver)

    def is_closing(self) -> bool:
        """Check that nothing more can be written."""
        return self._closing

    def close(self) -> None:
        """End the pipe, after what has been written."""
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self.other._hang_up)
            self._loop.call_soon(self._end)

    def abort(self) -> None:
        """End the pipe."""
        self.close()

    def _take(self, data: bytes) -> None:
        self._arrived.append(data)
        self._deliver()

    def _deliver(self) -> None:
        while self._arrived and not (self._is_paused or self._over):
            data = self._arrived.pop(0)
            match self._protocol:
                case asyncio.Protocol() as protocol:
                    protocol.data_received(data)
                case asyncio.BufferedProtocol() as protocol:
                    room = memoryview(protocol.get_buffer(len(data)))
                    size = min(len(room), len(data))
                    room[:size] = data[:size]
                    if size < len(data):
                        self._arrived.insert(0, data[size:])
                    protocol.buffer_updated(size)

    def _hang_up(self) -> None:
        """The other end has closed: this end closes, too, when it has read everything."""
        self._closing = True
        self._is_paused = False
        self._deliver()
        self._end()

    def _end(self) -> None:
        if not self._over:
            self._over = True
            self._arrived = []
            self._protocol.connection_lost(None)


def connect_pipe(one: asyncio.BaseProtocol, other: asyncio.BaseProtocol) -> None:
    """Connect two protocols."""
    end = PipeEnd(one)
    end.other = PipeEnd(other)
    end.other.other = end
    other.connection_made(end.other)
    one.connection_made(end)
