"""What a seat holds, as the models need it: nothing but its own cards."""

from collections.abc import Sequence

from protocol.limits import LIGRETTO_TAKE_UPS
from simulation.models import FLIP, STOCK


class HeldCards:
    """The own cards of a seat in a round. The hand is a list and a mark: those before the mark are
    its discards.
    """

    __slots__ = ("hand", "mark", "row", "seen", "stock", "taken_up")

    def __init__(self, deck: Sequence[int], row: int) -> None:
        self.stock = list(reversed(deck[:STOCK]))  # the next one is its last
        self.row = list(deck[STOCK : STOCK + row])
        self.hand = list(deck[STOCK + row :])
        self.mark = 0
        self.seen: set[int] = set()  # of the hand: what has been on top of the discards
        self.taken_up = 0  # times, since anybody's last lay

    def card(self, slot: int) -> int:
        """In the row, or, in the slot behind it, on top of the discards."""
        return self.row[slot] if slot < len(self.row) else self.hand[self.mark - 1]

    def visible(self) -> list[int]:
        """What may be laid if it fits."""
        return [*self.row, *self.hand[self.mark - 1 : self.mark]] if self.mark else self.row

    def may_flip(self) -> bool:
        """As `protocol.games.ligretto.moves` has it."""
        return bool(self.hand) and self.taken_up < LIGRETTO_TAKE_UPS

    def flip(self) -> bool:
        """Three cards onto the discards; whether they had to be taken up for it."""
        again = self.mark == len(self.hand)
        if again:
            self.mark = 0
            self.taken_up += 1
        self.mark = min(self.mark + FLIP, len(self.hand))
        self.seen.update(self.hand[self.mark - 1 : self.mark])
        return again

    def give(self, slot: int) -> bool:
        """Away with a card. Whether that turned the last of the stock, and so stops the round."""
        if slot < len(self.row):
            self.row[slot] = self.stock.pop()
            return not self.stock
        self.mark -= 1
        del self.hand[self.mark]
        self.seen.update(self.hand[self.mark - 1 : self.mark] if self.mark else ())
        return False

    def rescue(self) -> None:
        """The first card of the hand becomes its last, and the discards hand again."""
        self.hand = [*self.hand[1:], *self.hand[:1]]
        self.mark = self.taken_up = 0
