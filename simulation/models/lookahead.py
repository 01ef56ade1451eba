"""Seats that look ahead in their own cards: what a program gains that reads its deck before it is
turned.

A plan is for the next few acts, as if nobody else laid anything meanwhile. Each lay counts, one
from the row more (it brings the stock nearer to its end), and the sooner, the more.
"""

from simulation.models import FLIP, NUMBERS
from simulation.models.seat_cards import HeldCards

ACTS = 4  # that are looked ahead
# what a lay is worth; how much of that is left an act later
FROM_ROW, FROM_HAND, LATER = 1.0, 0.4, 0.85
TINY = 1e-9
UNKNOWN = -1  # instead of a card that has not been seen


class Lookahead:
    """What one seat can come to."""

    def __init__(self, holding: HeldCards, fits: list[list[int]], knows: bool) -> None:
        """`knows`: all of its deck; else what it has seen."""
        self.row = list(holding.row)
        self.stock = [card if knows else UNKNOWN for card in holding.stock]
        self.hand = [card if knows or card in holding.seen else UNKNOWN for card in holding.hand]
        self.mark = holding.mark
        self.open = [len(piles) for piles in fits]

    def best(self) -> list[int]:
        """The slots, or `len(row)` + 1 for a flip, that a best plan begins with."""
        values = {slot: self.after(slot, ACTS) for slot in self.slots()}
        values[len(self.row) + 1] = self.flipped(ACTS)
        most = max(values.values()) - TINY
        return [slot for slot, value in values.items() if value >= most]

    def slots(self) -> list[int]:
        """Whose cards fit."""
        found = [slot for slot, card in enumerate(self.row) if card >= 0 and self.open[card]]
        if self.mark and (top := self.hand[self.mark - 1]) >= 0 and self.open[top]:
            found.append(len(self.row))
        return found

    def value(self, acts: int) -> float:
        """Of the best plan for so many acts."""
        if not acts:
            return 0.0
        values = [self.after(slot, acts) for slot in self.slots()]
        return max(values) if values else self.flipped(acts)

    def after(self, slot: int, acts: int) -> float:
        """Of the best plan that begins with a lay."""
        if slot < len(self.row):
            card, value = self.row[slot], FROM_ROW
            self.row[slot] = self.stock.pop()
        else:
            self.mark -= 1
            card, value = self.hand.pop(self.mark), FROM_HAND
        first, last = not card % NUMBERS, card % NUMBERS == NUMBERS - 1
        self.open[card] -= not first
        if not last:
            self.open[card + 1] += 1
        value += LATER * self.value(acts - 1) if self.stock else 2.0 * acts
        if not last:
            self.open[card + 1] -= 1
        self.open[card] += not first
        if slot < len(self.row):
            self.stock.append(self.row[slot])
            self.row[slot] = card
        else:
            self.hand.insert(self.mark, card)
            self.mark += 1
        return value

    def flipped(self, acts: int) -> float:
        """Of the best plan that begins with a flip."""
        if not self.hand:
            return 0.0
        mark = self.mark
        self.mark = min(mark % len(self.hand) + FLIP, len(self.hand))
        value = LATER * self.value(acts - 1)
        self.mark = mark
        return value
