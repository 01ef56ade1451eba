"""Cards that a player itself is responsible for, and a log of its lays, so that they can be
undone.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simulation.machines.messages import Instant
from simulation.models import CARDS
from simulation.models.held_cards import HeldCards


class LaidCard(NamedTuple):
    """An accepted lay."""

    at: Instant
    slot: int
    piece: int


class PlayerCards:
    """Stock, row and hand of a player. One of the cards may be away with an unanswered lay."""

    __slots__ = ("_base", "_holding", "away", "gone", "log")

    def __init__(self, player: int, deck: Sequence[int], row: int) -> None:
        self._base = CARDS * player
        self._holding = HeldCards(deck, row)
        self.away: int | None = None  # slot of the card that is away
        self.log: list[LaidCard] = []
        self.gone: list[LaidCard] = []  # undone lays

    @property
    def row(self) -> tuple[int, ...]:
        """Pieces of the row, from the left."""
        base = self._base
        return tuple([base + card for card in self._holding.row])

    @property
    def top(self) -> int | None:
        """Piece on top of the discards."""
        holding = self._holding
        if holding.mark:
            return self._base + holding.hand[holding.mark - 1]
        return None

    @property
    def slots(self) -> int:
        """Number of pieces that may be laid."""
        return len(self._holding.row) + bool(self._holding.mark)

    def piece(self, slot: int) -> int:
        """Piece of a slot: in the row, or, in the slot after the row, on top of the discards."""
        return self._base + self._holding.card(slot)

    def stock(self) -> tuple[int, ...]:
        """Pieces of the stock."""
        return tuple(self._base + card for card in self._holding.stock)

    def held(self) -> tuple[int, ...]:
        """Pieces of row and hand, without a piece that is away."""
        away = None if self.away is None else self.piece(self.away)
        every = (self._base + card for card in (*self._holding.row, *self._holding.hand))
        return tuple(piece for piece in every if piece != away)

    def flip(self) -> None:
        """Flip three cards onto the discards."""
        self._holding.flip()

    def give(self, slot: int, at: Instant) -> bool:
        """Remove a piece that was laid. Return True if that turned the last stock card."""
        self.log.append(LaidCard(at, slot, self.piece(slot)))
        return self._holding.give(slot)

    def undo(self, after: Instant) -> None:
        """Take back all lays after an instant, the last lay first, and turn back the stock
        cards.
        """
        holding = self._holding
        stays = []
        for laid in reversed(self.log):
            card = laid.piece - self._base
            if laid.at <= after:
                stays.append(laid)
                continue
            self.gone.append(laid)
            if laid.slot < len(holding.row):
                holding.stock.append(holding.row[laid.slot])
                holding.row[laid.slot] = card
            else:
                holding.hand.insert(holding.mark, card)
                holding.mark += 1
        self.log = stays[::-1]
