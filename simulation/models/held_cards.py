"""The own cards of a seat in a model."""

from collections.abc import Sequence

from protocol.limits import LIGRETTO_TAKE_UPS
from simulation.models import FLIP, STOCK


class HeldCards:
    """Stock, row and hand of a seat. The discards are the cards of the hand before `mark`."""

    __slots__ = ("hand", "mark", "row", "seen", "stock", "taken_up")

    def __init__(self, deck: Sequence[int], row: int) -> None:
        self.stock = list(reversed(deck[:STOCK]))  # the next card is the last of the list
        self.row = list(deck[STOCK : STOCK + row])
        self.hand = list(deck[STOCK + row :])
        self.mark = 0
        self.seen: set[int] = set()  # cards of the hand that have been on top of the discards
        self.taken_up = 0  # number of times since the last lay of any seat

    def card(self, slot: int) -> int:
        """Card of a slot: in the row, or, in the slot after the row, on top of the discards."""
        if slot < len(self.row):
            return self.row[slot]
        return self.hand[self.mark - 1]

    def visible(self) -> list[int]:
        """Cards that the seat may lay if they fit."""
        if self.mark:
            return [*self.row, *self.hand[self.mark - 1 : self.mark]]
        return self.row

    def may_flip(self) -> bool:
        """Check that a flip is allowed, as `protocol.games.ligretto.moves` does."""
        return bool(self.hand) and self.taken_up < LIGRETTO_TAKE_UPS

    def flip(self) -> bool:
        """Flip three cards onto the discards. Return True if the discards had to be taken up
        first.
        """
        again = self.mark == len(self.hand)
        if again:
            self.mark = 0
            self.taken_up += 1
        self.mark = min(self.mark + FLIP, len(self.hand))
        self.seen.update(self.hand[self.mark - 1 : self.mark])
        return again

    def give(self, slot: int) -> bool:
        """Remove a card. Return True if that turned the last stock card, which stops the round."""
        if slot < len(self.row):
            self.row[slot] = self.stock.pop()
            return not self.stock
        self.mark -= 1
        del self.hand[self.mark]
        self.seen.update(self.hand[self.mark - 1 : self.mark] if self.mark else ())
        return False

    def rescue(self) -> None:
        """Move the first card of the hand to its end, and return the discards to the hand."""
        self.hand = [*self.hand[1:], *self.hand[:1]]
        self.mark = self.taken_up = 0
