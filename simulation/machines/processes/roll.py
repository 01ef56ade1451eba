"""Who is there: which processes have said so lately. Times are microseconds."""

from protocol.limits import MACHINES_BEAT_SECONDS, MACHINES_SILENT_SECONDS
from simulation.machines.messages import Instant

SILENT = MACHINES_SILENT_SECONDS * 1_000_000
SURE = 2 * MACHINES_BEAT_SECONDS * 1_000_000


class LivenessTable:
    """Processes by the number of their first player; the coordinator's has its own number, and one
    player.
    """

    def __init__(self) -> None:
        self.heard: dict[int, tuple[int, Instant]] = {}

    def alive(self, first: int, players: int, now: Instant) -> None:
        """A process says that it is there, and for how many players."""
        self.heard[first] = players, now

    def missing(self, players: int) -> tuple[int, ...]:
        """Of so many, those for whom nobody has ever been there."""
        there = {first + each for first, (count, _) in self.heard.items() for each in range(count)}
        return tuple(each for each in range(players) if each not in there)

    def surely_heard(self, first: int, now: Instant) -> bool:
        """Whether a process was heard a moment ago, or never: who does not hear itself knows
        nothing of others.
        """
        return first not in self.heard or now - self.heard[first][1] <= SURE

    def silent(self, now: Instant) -> tuple[tuple[int, int], ...]:
        """Who was there and has said nothing for too long: first player and how many."""
        return tuple(
            (first, count) for first, (count, at) in self.heard.items() if now - at > SILENT
        )
