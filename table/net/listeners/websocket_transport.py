"""WebSocket as the transport of a connection: frames go out as binary messages, and the end as a
close.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.frames import CloseCode
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from protocol import wire
from table.net.last_words import BUSY


class WebSocketTransport(asyncio.Transport):
    """Transport that a `Connection` uses in place of a socket's."""

    def __init__(
        self, transport: asyncio.Transport, web: ServerProtocol, go_on: Callable[[], None]
    ) -> None:
        """`go_on`: called when reading may go on; it first processes the bytes that had to wait."""
        super().__init__()
        self._transport, self._web, self._go_on = transport, web, go_on
        self.close_code = CloseCode.NORMAL_CLOSURE  # of our close

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._transport.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._go_on()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._web.state is State.OPEN:
            for frame in wire.split_frames(bytes(data)):
                self._web.send_binary(frame)
            self.flush()

    def write_eof(self) -> None:
        """Send a close, since a WebSocket has no half; the other side hangs up."""
        if self._web.state is State.OPEN:
            self._web.send_close(self.close_code)
        self.flush()

    def close(self) -> None:
        """Close after all written bytes have gone out. Before the WebSocket stands, answer the request
        that there is no place.
        """
        if self._web.state is State.CONNECTING:
            self._transport.write(BUSY)
        elif self._web.state is State.OPEN:
            self._web.send_close(self.close_code)
            self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def abort(self) -> None:
        self._transport.abort()

    def flush(self) -> None:
        """Send what the library has to send, and close after its last bytes."""
        pieces = self._web.data_to_send()
        if pieces:
            self._transport.write(b"".join(pieces))
        if SEND_EOF in pieces:
            self._transport.close()
