"""Calls into the JavaScript module of the primitives, with bytes on both sides.

The worker registers that module as `fairdeal_primitives` before it starts the program. Bytes travel
as strings with one character for each byte, because Pyodide passes strings far faster than arrays.
"""

from collections.abc import Callable
from typing import Any

import fairdeal_primitives

JavaScript = Any  # a function or an object of JavaScript; its types are known only there
_ONE_BYTE_EACH = "latin-1"


def function(name: str) -> JavaScript:
    """Return a function of the JavaScript module."""
    return getattr(fairdeal_primitives, name)


def text(data: bytes) -> str:
    """Return bytes as an argument."""
    return data.decode(_ONE_BYTE_EACH)


def result(found: str | None, failure: str = "a call of the primitives failed") -> bytes:
    """Return the bytes of a result. Raises: ValueError with `failure` if the call failed."""
    if found is None:
        raise ValueError(failure)
    return found.encode(_ONE_BYTE_EACH)


def unary(name: str) -> Callable[[bytes], bytes]:
    """Return a function of one byte string that returns a byte string."""
    call = function(name)
    return lambda argument, /: result(call(text(argument)))


def binary(name: str) -> Callable[[bytes, bytes], bytes]:
    """Return a function of two byte strings that returns a byte string."""
    call = function(name)
    return lambda left, right, /: result(call(text(left), text(right)))


def check(name: str) -> Callable[[bytes], bool]:
    """Return a function of one byte string that returns whether it passes."""
    call = function(name)
    return lambda argument, /: bool(call(text(argument)))
