"""One thing that happens later, unless something comes before."""

import asyncio
from collections.abc import Callable


class Timer:
    """Calls back once, so many seconds after it was last set."""

    __slots__ = ("_call", "_handle", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop, self._call = loop, call
        self._handle: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """Whether it is set."""
        return self._handle is not None

    @property
    def left(self) -> float:
        """Seconds until it calls back; 0: it is not set, or is due."""
        when = self._loop.time() if self._handle is None else self._handle.when()
        return max(0.0, when - self._loop.time())

    def set(self, seconds: float) -> None:
        """Begin anew."""
        self.stop()
        self._handle = self._loop.call_later(seconds, self._due)

    def stop(self) -> None:
        """Forget it."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def close(self) -> None:
        """Stop, and refer to nobody any more."""
        self.stop()
        self._call = _nothing

    def _due(self) -> None:
        self._handle = None
        self._call()


def _nothing() -> None:
    """Do nothing: what is closed calls nobody."""
