"""Work in steps: a generator that yields after each small piece of work, and returns its result.

A program with an event loop takes some steps in a turn, and the others later. Everybody else takes
all at once.
"""

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")
Steps = Generator[None, None, Result]


def finish(steps: Steps[Result]) -> Result:
    """Take all steps, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
