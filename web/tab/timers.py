"""Timers of the tab's event loop that say when they are due, as those of asyncio's own loops do."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any


class Timer:
    """A timer: see `asyncio.TimerHandle`."""

    def __init__(self, handle: asyncio.Handle, when: float) -> None:
        self._handle = handle
        self._when = when

    def when(self) -> float:
        """Return the time at which the timer is due, in seconds of the loop's clock."""
        return self._when

    def cancel(self) -> None:
        """Call nothing."""
        self._handle.cancel()

    def cancelled(self) -> bool:
        """Check that nothing will be called."""
        return self._handle.cancelled()


def time_timers(loop: Any) -> None:
    """Have `call_later` and `call_at` of a loop return timers that say when they are due."""
    start = loop.call_later

    def call_later(
        delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Timer:
        when = loop.time() + delay
        return Timer(start(max(0.0, delay), callback, *args, context=context), when)

    def call_at(
        when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Timer:
        return call_later(when - loop.time(), callback, *args, context=context)

    loop.call_later = call_later
    loop.call_at = call_at
