"""How points are counted: what open ends score at once in all-fives, who shares a score, what a
hand's end is worth.
"""

from typing import NamedTuple

from protocol.games.dominoes.tiles import Line

FIVE = 5
PARTNERS = 4  # seats that play two against two


class Scoring(NamedTuple):
    """The options of a match that are about points."""

    target: int
    # all-fives: ends that make a multiple of five score at once, and the hand's end is rounded
    fives: bool = False
    partners: bool = False  # two against two, partners opposite

    def team(self, seat: int) -> tuple[int, ...]:
        """The seats that share this one's score, ascending; itself alone without partners."""
        return tuple(sorted((seat, (seat + 2) % PARTNERS))) if self.partners else (seat,)

    def points_of(self, line: Line) -> int:
        """What whoever has just made the line so scores for it."""
        count = open_end_sum(line)
        return count if self.fives and count % FIVE == 0 else 0

    def rounded(self, pips: int) -> int:
        """What pips that are left are worth at the end of a hand: to the nearest multiple of five,
        in all-fives.
        """
        return (pips + FIVE // 2) // FIVE * FIVE if self.fives else pips


def open_end_sum(line: Line) -> int:
    """What the open ends add up to: a double at an end counts with both halves, a tile that lies
    alone with both.
    """
    if len(line) < 2:
        return sum(map(sum, line))
    (first, inner), (other, last) = line[0], line[-1]
    return first * (1 + (first == inner)) + last * (1 + (last == other))
