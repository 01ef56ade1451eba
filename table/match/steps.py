"""Long work in steps: a generator that stops after each step and returns the result."""

import asyncio
import time
from collections.abc import Generator
from typing import TypeVar

SLICE_SECONDS = 0.02  # of work in one turn of the event loop; one step may take longer

T = TypeVar("T")


def run_to_end(steps: Generator[None, None, T]) -> T:
    """Do all steps in one turn of the loop."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result: T = end.value
        return result


async def run_in_slices(steps: Generator[None, None, T]) -> T:
    """Do the steps a few at a time; between two slices the event loop does something else."""
    try:
        while True:
            until = time.perf_counter() + SLICE_SECONDS
            while time.perf_counter() < until:
                next(steps)
            await asyncio.sleep(0)
    except StopIteration as end:
        result: T = end.value
        return result
