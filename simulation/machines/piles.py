"""Piles of one player: at most one of each colour, since only the player's own 1s open a pile
here.
"""

from protocol.limits import MAX_MACHINES
from simulation.machines.messages import Instant, LayVerdict
from simulation.models import CARDS, NUMBERS

COLOURS = CARDS // NUMBERS
assert MAX_MACHINES * CARDS < 2**32  # a piece fits into 32 bits of a message


def colour(piece: int) -> int:
    """Colour of a piece, 0 to 3."""
    return piece % CARDS // NUMBERS


def number(piece: int) -> int:
    """Number of a piece, 1 to 10."""
    return piece % NUMBERS + 1


class Piles:
    """Laid cards with their times. The owner alone decides about each lay, in the order of
    arrival.
    """

    __slots__ = ("cards", "times")

    def __init__(self) -> None:
        self.cards: list[list[int]] = [[] for _ in range(COLOURS)]
        self.times: list[list[Instant]] = [[] for _ in range(COLOURS)]

    @property
    def heights(self) -> tuple[int, ...]:
        """Height of the pile of each colour, which all players may see."""
        return tuple(map(len, self.cards))

    def verdict(self, piece: int, own: bool) -> LayVerdict:
        """Decide about a card without laying it. A 1 opens a pile only at its owner."""
        there = len(self.cards[colour(piece)])
        wanted = number(piece) - 1
        if there == wanted and (wanted or own):
            return LayVerdict.LAID
        if there > wanted and wanted:
            return LayVerdict.LATE
        return LayVerdict.NEVER

    def passed(self, piece: int) -> Instant:
        """Time at which another card was laid in this card's place; 0 if none was."""
        times = self.times[colour(piece)]
        if number(piece) <= len(times):
            return times[number(piece) - 1]
        return 0

    def lay(self, piece: int, now: Instant) -> None:
        """Lay a card that fits."""
        self.cards[colour(piece)].append(piece)
        self.times[colour(piece)].append(now)

    def undo(self, after: Instant) -> None:
        """Remove all cards that were laid after an instant; their senders have them again."""
        for cards, times in zip(self.cards, self.times, strict=True):
            while times and times[-1] > after:
                cards.pop()
                times.pop()
