"""Work that takes a while, beside the event loop."""

import asyncio
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def run_beside(work: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    """Do work in a thread. A tab of a browser has no threads, and does it at once."""
    if sys.platform == "emscripten":
        return work(*args, **named)
    return await asyncio.to_thread(work, *args, **named)
