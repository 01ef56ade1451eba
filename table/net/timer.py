"""Timer that can be set again and stopped."""

import asyncio
from collections.abc import Callable


class Timer:
    """Timer with one callback, which runs some seconds after the last `set`."""

    __slots__ = ("_call", "_handle", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop, self._call = loop, call
        self._handle: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """The timer is set."""
        return self._handle is not None

    @property
    def left(self) -> float:
        """Seconds until the callback; 0: the timer is not set, or is due."""
        when = self._loop.time() if self._handle is None else self._handle.when()
        return max(0.0, when - self._loop.time())

    def set(self, seconds: float) -> None:
        """Start the timer, from the beginning if it is running."""
        self.stop()
        self._handle = self._loop.call_later(seconds, self._due)

    def stop(self) -> None:
        """Stop the timer, if it is running."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def close(self) -> None:
        """Stop the timer for good, and drop the callback."""
        self.stop()
        self._call = _nothing

    def _due(self) -> None:
        self._handle = None
        self._call()


def _nothing() -> None:
    """Do nothing: the timer is closed."""
