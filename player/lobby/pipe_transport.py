"""A pipe through a table as a transport of asyncio: what is written at one end is read at the
other, or it ends.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import HIGH_WATER, MAX_PIPE_DATA, MAX_PIPE_QUEUED, PIPE_OVERHEAD, PIPE_WINDOW
from protocol.messages.lobby import pipe_window_cost

# ("send", data), ("grant", bytes) or ("close",): sent to the table, about this pipe
Post = Callable[..., None]


class PipeTransport(asyncio.Transport):
    """One end of a standing pipe, as a transport of asyncio.

    At most one window is under way. The rest of the written data waits here. A protocol that writes
    on without regard to this is cut off at `MAX_PIPE_QUEUED`.
    """

    def __init__(self, protocol: asyncio.Protocol, post: Post) -> None:
        super().__init__()
        self._protocol = protocol
        self._post = post
        self._loop = asyncio.get_running_loop()
        self._queue = deque[bytes]()
        self._queued = 0
        self._room = PIPE_WINDOW  # bytes of the window that we may still use
        self._arrived = 0  # that the other side has used, and that we have not granted back
        self._paused: list[bytes] | None = None  # what has come while nothing is read
        self._full = False  # and the protocol knows
        self._closing = self._lost = False
        self.code: Code | None = None  # why the table says that it ended

    def begin(self) -> None:
        """Tell the protocol that it stands."""
        self._protocol.connection_made(self)

    # --- what the table says ---

    def sent(self, data: bytes) -> None:
        """Take data from the other end. Raises: RemoteError if it is more than this end granted."""
        self._arrived += pipe_window_cost(data)
        if self._arrived > PIPE_WINDOW:
            raise RemoteError(Code.BAD_MESSAGE)
        if self._paused is not None:
            self._paused.append(data)
        elif not self._lost:
            self._deliver(data)

    def granted(self, size: int) -> None:
        """Enlarge the window by `size` bytes. Raises: RemoteError if it gets larger than a window
        may be.
        """
        self._room += size
        if self._room > PIPE_WINDOW:
            raise RemoteError(Code.BAD_MESSAGE)
        self._flush()

    def ended(self, code: Code | None) -> None:
        """Note that the pipe has ended."""
        self.code = code
        self._closing = True
        self._lose()

    # --- asyncio.Transport ---

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send, as soon as there is room."""
        if self._closing or not data:
            return
        whole = bytes(data)
        for start in range(0, len(whole), MAX_PIPE_DATA):
            self._queue.append(whole[start : start + MAX_PIPE_DATA])
        self._queued += len(whole)
        self._flush()
        if self._queued > MAX_PIPE_QUEUED:
            self.abort()
        elif self._queued > HIGH_WATER and not self._full:
            self._full = True
            self._protocol.pause_writing()

    def can_write_eof(self) -> bool:
        """Return False: a pipe ends for both directions at once."""
        return False

    def close(self) -> None:
        """Send what is written, and then close the pipe."""
        self._closing = True
        if not self._queue:
            self.abort()

    def abort(self) -> None:
        """Close the pipe at once."""
        if not self._lost:
            self._closing = True
            self._post("close")
            self._lose()

    def is_closing(self) -> bool:
        """Return True if the pipe is closed, or about to close."""
        return self._closing

    def pause_reading(self) -> None:
        """Take nothing out of the pipe: the other side will have to wait."""
        if self._paused is None:
            self._paused = []

    def resume_reading(self) -> None:
        """Take out what has come meanwhile."""
        waiting = self._paused or []
        self._paused = None
        for data in waiting:
            if not self._lost:
                self._deliver(data)

    def is_reading(self) -> bool:
        """Return True if data is taken out."""
        return self._paused is None and not self._lost

    def get_write_buffer_size(self) -> int:
        """Bytes that wait here."""
        return self._queued

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """They are as they are."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the default: a pipe has no socket."""
        return default

    # --- inside ---

    def _deliver(self, data: bytes) -> None:
        self._protocol.data_received(data)
        if self._paused is None and self._arrived >= PIPE_WINDOW // 2 and not self._lost:
            self._post("grant", self._arrived)
            self._arrived = 0

    def _flush(self) -> None:
        while self._queue and self._room >= len(self._queue[0]) + PIPE_OVERHEAD and not self._lost:
            data = self._queue.popleft()
            self._queued -= len(data)
            self._room -= pipe_window_cost(data)
            self._post("send", data)
        if self._full and self._queued <= HIGH_WATER // 2:
            self._full = False
            self._protocol.resume_writing()
        if self._closing and not self._queue:
            self.abort()

    def _lose(self) -> None:
        if not self._lost:
            self._lost = True
            self._queue.clear()
            self._queued = 0
            self._loop.call_soon(self._protocol.connection_lost, None)
