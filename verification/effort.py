"""Limits on the work of a search. Work is counted and not timed, so the limits mean the same on
every machine.
"""

from collections.abc import Callable
from typing import Final

STEPS_PER_CHECK: Final = 4096  # steps between two calls of `stop`; they take a few milliseconds
DEMANDS_PER_CHECK: Final = 64  # demands between two calls of `stop`


class OutOfBudget(Exception):
    """Raised if a search has used up its demands or steps, or if `stop` returned True."""


def never_stop() -> bool:
    """Default for `stop`: return False, so that only the limits end the search."""
    return False


class Effort:
    """Counter for the work of a search. The counter ends the search when the work exceeds a limit.

    A demand is one attempt to solve what the intruder must be able to say. A step is one of three
    things: an equation in the unifier, one way to pair exponents, or a term looked up in the
    intruder's knowledge. `stop` is called now and then. The search ends when `stop` returns True; a
    caller with a clock passes it in this way.
    """

    def __init__(self, demands: int, steps: int, stop: Callable[[], bool] = never_stop) -> None:
        """Set the limits: at most `demands` demands and `steps` steps."""
        self.done = 0
        self.steps = 0
        self.states = 0  # states that the search has reached
        self._most_demands = demands
        self._most_steps = steps
        self._stop = stop
        self._next_check = min(STEPS_PER_CHECK, steps + 1)

    def demand(self) -> None:
        """Count one more demand.

        Raises:
            OutOfBudget: the limit of demands is exceeded, or `stop` returned True.
        """
        self.done += 1
        if self.done > self._most_demands or (self.done % DEMANDS_PER_CHECK == 0 and self._stop()):
            raise OutOfBudget

    def step(self, count: int = 1) -> None:
        """Count `count` more steps.

        Raises:
            OutOfBudget: the limit of steps is exceeded, or `stop` returned True.
        """
        self.steps += count
        if self.steps >= self._next_check:
            if self.steps > self._most_steps or self._stop():
                raise OutOfBudget
            self._next_check = min(self.steps + STEPS_PER_CHECK, self._most_steps + 1)
