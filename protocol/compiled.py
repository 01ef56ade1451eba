"""Functions that numba compiles, where the extra `science` is installed; else importing this is an ImportError."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiled when it is first called, and kept for the next program if numba finds a place on disk that it may write.

    Other threads go on while it runs. What it calls must stand in its own file: numba does not notice when another one
    has changed.
    """
    try:
        made: Any = njit(cache=True, nogil=True)(function)
    except RuntimeError:
        made = njit(nogil=True)(function)
    found: F = made
    return found
