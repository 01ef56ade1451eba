"""How long a bot takes for an action, so that people can follow, and where all act at once have a
chance.
"""

from dataclasses import dataclass
from math import log, sqrt
from random import Random

SPREAD = 0.5  # of people who choose between a few things that they see


@dataclass(frozen=True)
class ThinkTime:
    """Think times: log-normal, as people's are (R. D. Luce, "Response Times", 1986)."""

    mean: float = 0.0  # seconds; 0: none
    spread: float = SPREAD  # standard deviation over mean; 0: always the mean

    def draw(self, rng: Random) -> float:
        """The next think time, in seconds."""
        if not self.mean or not self.spread:
            return self.mean
        variance = log(1 + self.spread**2)
        return rng.lognormvariate(log(self.mean) - variance / 2, sqrt(variance))
