"""The piles of one player: one of each colour at most, since only its own 1s are opened here."""

from protocol.limits import MAX_MACHINES
from simulation.machines.messages import Instant, LayVerdict
from simulation.models import CARDS, NUMBERS

COLOURS = CARDS // NUMBERS
assert MAX_MACHINES * CARDS < 2**32  # a piece is a short number on the wire


def colour(piece: int) -> int:
    """0 to 3."""
    return piece % CARDS // NUMBERS


def number(piece: int) -> int:
    """1 to 10."""
    return piece % NUMBERS + 1


class Piles:
    """Cards laid and when. The owner alone decides what is laid, one lay at a time, by arrival."""

    __slots__ = ("cards", "times")

    def __init__(self) -> None:
        self.cards: list[list[int]] = [[] for _ in range(COLOURS)]
        self.times: list[list[Instant]] = [[] for _ in range(COLOURS)]

    @property
    def heights(self) -> tuple[int, ...]:
        """Cards on the pile of each colour, as anybody can see."""
        return tuple(map(len, self.cards))

    def verdict(self, piece: int, own: bool) -> LayVerdict:
        """What would become of a card: a 1 opens a pile at its owner alone."""
        there, wanted = len(self.cards[colour(piece)]), number(piece) - 1
        if there == wanted and (wanted or own):
            return LayVerdict.LAID
        return LayVerdict.LATE if there > wanted and wanted else LayVerdict.NEVER

    def passed(self, piece: int) -> Instant:
        """When another was laid where this card would have fitted; 0, if none was."""
        times = self.times[colour(piece)]
        return times[number(piece) - 1] if number(piece) <= len(times) else 0

    def lay(self, piece: int, now: Instant) -> None:
        """Accept a card that fits."""
        self.cards[colour(piece)].append(piece)
        self.times[colour(piece)].append(now)

    def undo(self, after: Instant) -> None:
        """Away with what was accepted after an instant: who laid it has it again."""
        for cards, times in zip(self.cards, self.times, strict=True):
            while times and times[-1] > after:
                cards.pop()
                times.pop()
