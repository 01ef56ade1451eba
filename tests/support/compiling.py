"""Compilation by numba, once for each machine. No test's time includes it, and two workers never do
it at the same time.
"""

import fcntl
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest


def before_slow(item: pytest.Item, compile_all: Callable[[], None]) -> None:
    """Compile before the time of a slow test is measured, and cache the result on disk. Only slow
    tests may need it.
    """
    if item.get_closest_marker("slow"):
        _once(compile_all)


@cache
def _once(compile_all: Callable[[], None]) -> None:
    with (Path(tempfile.gettempdir()) / "fairdeal-compiling").open("w") as one:
        fcntl.flock(one, fcntl.LOCK_EX)
        compile_all()
