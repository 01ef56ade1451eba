"""How much a search may do, counted and not timed: the same everywhere, however busy a machine is."""

from collections.abc import Callable
from typing import Final

STEPS_A_LOOK: Final = 4096  # between two questions whether to stop; some milliseconds
DEMANDS_A_LOOK: Final = 64  # the same, in demands


class OutOfBudget(Exception):
    """The search has done all that it was allowed to do."""


def never() -> bool:
    """Nobody says stop."""
    return False


class Effort:
    """Counts the work of a search, and ends the search when the work is too much.

    A demand is one look at what the intruder must be able to say. A step is one equation that the unifier
    looks at, one way to pair exponents, or one term that is looked for among what the intruder has.
    `stop` is asked now and then whether the search shall end, and is all there is of a clock.
    """

    def __init__(self, demands: int, steps: int, stop: Callable[[], bool] = never) -> None:
        """`demands`, `steps`: how many there may be."""
        self.done = 0
        self.steps = 0
        self.states = 0  # that the search has reached
        self._demands = demands
        self._most = steps
        self._stop = stop
        self._look = min(STEPS_A_LOOK, steps + 1)

    def demand(self) -> None:
        """Count one demand more.

        Raises:
            OutOfBudget: it was one too many, or somebody says stop.
        """
        self.done += 1
        if self.done > self._demands or (self.done % DEMANDS_A_LOOK == 0 and self._stop()):
            raise OutOfBudget

    def step(self, count: int = 1) -> None:
        """Count steps.

        Raises:
            OutOfBudget: it was one too many, or somebody says stop.
        """
        self.steps += count
        if self.steps >= self._look:
            if self.steps > self._most or self._stop():
                raise OutOfBudget
            self._look = min(self.steps + STEPS_A_LOOK, self._most + 1)
