"""Independent score sheet of Ligretto that moves single cards and counts them after the round."""

from dataclasses import dataclass, field


@dataclass
class Cards:
    """Cards in front of one seat, as lists; the next card to take is last."""

    stock: list[int]
    row: list[int]
    hand: list[int]
    discards: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, deck: list[int], row: int) -> "Cards":
        return cls(deck[9::-1], deck[10 : 10 + row], deck[: 9 + row : -1])

    def flip(self) -> None:
        if not self.hand:
            self.hand, self.discards = self.discards[::-1], []
        block = [self.hand.pop() for _ in range(min(3, len(self.hand)))]
        self.discards += block

    def take(self, slot: int) -> int:
        if slot == len(self.row):
            return self.discards.pop()
        card, self.row[slot] = self.row[slot], self.stock.pop()
        return card

    def rescue(self) -> None:
        self.hand, self.discards = self.hand + self.discards[::-1], []
        self.hand[:0] = [self.hand.pop()] if self.hand else []

    def everything(self) -> list[int]:
        return [*self.stock, *self.row, *self.hand, *self.discards]


@dataclass
class Sheet:
    seats: list[Cards]
    piles: list[list[int]] = field(default_factory=list)

    def act(self, seat: int, action: tuple) -> None:
        if action[0] == "flip":
            self.seats[seat].flip()
        elif action[0] == "open":
            self.piles.append([self.seats[seat].take(action[1])])
        elif action[0] == "lay":
            self.piles[action[2]].append(self.seats[seat].take(action[1]))

    def everything(self) -> list[int]:
        held = (card for own in self.seats for card in own.everything())
        return [*held, *(card for pile in self.piles for card in pile)]

    def points(self, seat: int) -> int:
        back = sum(card // 40 == seat for pile in self.piles for card in pile)
        return back - 2 * len(self.seats[seat].stock)
