"""Think times of bots, so that people can follow the game, and have a chance if all seats act at
once.
"""

from dataclasses import dataclass
from math import log, sqrt
from random import Random

SPREAD = 0.5  # typical for people who choose between a few visible things


@dataclass(frozen=True)
class ThinkTime:
    """Distribution of think times: log-normal, like that of people (R. D. Luce, "Response Times",
    1986).
    """

    mean: float = 0.0  # seconds; 0: no think time
    spread: float = SPREAD  # standard deviation divided by mean; 0: always the mean

    def draw(self, rng: Random) -> float:
        """Draw the next think time, in seconds."""
        if not self.mean or not self.spread:
            return self.mean
        variance = log(1 + self.spread**2)
        return rng.lognormvariate(log(self.mean) - variance / 2, sqrt(variance))
