"""Garbage collection that never stops the event loop for long.

A full collection looks at every object of a table: 300 ms at two thousand seats. So objects are
looked at while they are young, and what has lived through one old collection is frozen: no
collection looks at it again. It still goes as soon as nothing refers to it; only a circle of frozen
objects stays. Circles are looked for when nobody plays, or when the memory has grown far.
"""

import asyncio
import gc
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from protocol.limits import FULL_COLLECTION_GROWTH_MIB, FULL_COLLECTION_SECONDS, GC_THRESHOLDS
from table.config import MIB
from table.metrics import Histogram

OLD = 2  # the generation that is frozen
_STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Return the bytes of memory that this process uses; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


class Collector:
    """Sets up the collection of this process while it is open."""

    def __init__(
        self,
        idle: Callable[[], bool],
        stops: Histogram,
        resident: Callable[[], int] = resident_bytes,
    ) -> None:
        """`idle`: nobody plays now; `stops`: of the seconds that collections take; `resident`:
        bytes of memory that this process uses.
        """
        self._idle, self._resident, self._stops = idle, resident, stops
        self._began = 0.0
        self._before = gc.get_threshold()
        self._loop = asyncio.get_running_loop()
        self._was_idle = False  # nobody has played since the last full collection
        self._full()  # at the start nobody waits
        gc.set_threshold(*GC_THRESHOLDS)
        gc.callbacks.append(self._collected)
        self._timer = self._loop.call_later(FULL_COLLECTION_SECONDS, self._look)

    def close(self) -> None:
        """Leave the collection as it was."""
        self._timer.cancel()
        gc.callbacks.remove(self._collected)
        gc.set_threshold(*self._before)
        gc.unfreeze()

    def _collected(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase == "start":
            self._began = time.thread_time()
            return
        if info["generation"] == OLD:
            gc.freeze()
        self._stops.observe(time.thread_time() - self._began)

    def _look(self) -> None:
        """Collect everything if nobody plays, once after somebody did; or if it must be."""
        self._timer = self._loop.call_later(FULL_COLLECTION_SECONDS, self._look)
        idle = self._idle()
        grown = self._resident() > 2 * self._least + FULL_COLLECTION_GROWTH_MIB * MIB
        if grown or (idle and not self._was_idle):
            self._full()
        self._was_idle = idle

    def _full(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._least = self._resident()  # bytes after a full collection
