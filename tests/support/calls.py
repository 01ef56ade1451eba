"""How much work something is: calls of functions, which are as many on a busy machine as on an idle one."""

import sys
from collections.abc import Callable


def count_calls(work: Callable[[], object]) -> int:
    """The number of functions that are called, Python's own among them."""
    found = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found
