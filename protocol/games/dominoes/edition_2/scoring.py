"""Scoring of dominoes: points of open ends in all-fives, shared scores of partners, and the worth
of the end of a hand.
"""

from typing import NamedTuple

from protocol.games.dominoes.edition_2.tiles import Line

FIVE = 5
PARTNERS = 4  # number of seats in a match of two against two


class Scoring(NamedTuple):
    """Options of a match that concern points."""

    target: int
    # All-fives. Open ends that sum up to a multiple of five score at once. Points at the end of a
    # hand are rounded to a multiple of five.
    fives: bool = False
    partners: bool = False  # two against two; partners sit opposite
    length: int = 500  # hands of the match, if nobody reaches the target before

    def team(self, seat: int) -> tuple[int, ...]:
        """Seats that share the score of this seat, in ascending order; without partners the seat
        alone.
        """
        return tuple(sorted((seat, (seat + 2) % PARTNERS))) if self.partners else (seat,)

    def points_of(self, line: Line) -> int:
        """Points for the seat that has just extended the line to `line`."""
        count = open_end_sum(line)
        return count if self.fives and count % FIVE == 0 else 0

    def rounded(self, pips: int) -> int:
        """Points for the pips that the others have left at the end of a hand. In all-fives they are
        rounded to the nearest multiple of five.
        """
        return (pips + FIVE // 2) // FIVE * FIVE if self.fives else pips


def open_end_sum(line: Line) -> int:
    """Sum of the open ends. A double at an end counts with both halves, and so does a tile that
    lies alone.
    """
    if len(line) < 2:
        return sum(map(sum, line))
    (first, inner), (other, last) = line[0], line[-1]
    return first * (1 + (first == inner)) + last * (1 + (last == other))
