"""Plans of a seat for its own cards: the gain of a program that reads its deck before the cards are
turned.

A plan covers the next few acts and assumes that no other seat lays. Each lay counts; a lay from the
row counts more, because it shortens the stock. An earlier lay counts more.
"""

from simulation.models import FLIP, NUMBERS
from simulation.models.held_cards import HeldCards

ACTS = 4  # acts in a plan
# Value of a lay from the row and from the hand; factor for each act that a lay comes later.
FROM_ROW = 1.0
FROM_HAND = 0.4
LATER = 0.85
TINY = 1e-9
UNKNOWN = -1  # a card that the seat has not seen


class Lookahead:
    """Search for the best plan of one seat."""

    def __init__(self, holding: HeldCards, fits: list[list[int]], knows: bool) -> None:
        """`knows`: the seat knows its whole deck; else only the cards that it has seen."""
        self.row = list(holding.row)
        self.stock = [card if knows else UNKNOWN for card in holding.stock]
        self.hand = [card if knows or card in holding.seen else UNKNOWN for card in holding.hand]
        self.mark = holding.mark
        self.open = [len(piles) for piles in fits]

    def best(self) -> list[int]:
        """Return the first acts of all best plans: slots, or `len(row)` + 1 for a flip."""
        values = {slot: self.after(slot, ACTS) for slot in self.slots()}
        values[len(self.row) + 1] = self.flipped(ACTS)
        most = max(values.values()) - TINY
        return [slot for slot, value in values.items() if value >= most]

    def slots(self) -> list[int]:
        """Return the slots with cards that fit."""
        found = [slot for slot, card in enumerate(self.row) if card >= 0 and self.open[card]]
        if self.mark and (top := self.hand[self.mark - 1]) >= 0 and self.open[top]:
            found.append(len(self.row))
        return found

    def value(self, acts: int) -> float:
        """Value of the best plan of `acts` acts."""
        if not acts:
            return 0.0
        values = [self.after(slot, acts) for slot in self.slots()]
        return max(values) if values else self.flipped(acts)

    def after(self, slot: int, acts: int) -> float:
        """Value of the best plan that begins with a lay from `slot`."""
        if slot < len(self.row):
            card = self.row[slot]
            value = FROM_ROW
            self.row[slot] = self.stock.pop()
        else:
            self.mark -= 1
            card = self.hand.pop(self.mark)
            value = FROM_HAND
        first = not card % NUMBERS
        last = card % NUMBERS == NUMBERS - 1
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
        """Value of the best plan that begins with a flip."""
        if not self.hand:
            return 0.0
        mark = self.mark
        self.mark = min(mark % len(self.hand) + FLIP, len(self.hand))
        value = LATER * self.value(acts - 1)
        self.mark = mark
        return value
