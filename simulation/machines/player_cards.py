"""The cards that a player is answerable for itself, and what it has laid, so that it can be
undone.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simulation.machines.messages import Instant
from simulation.models import CARDS
from simulation.models.seat_cards import HeldCards


class LaidCard(NamedTuple):
    """A lay that was accepted."""

    at: Instant
    slot: int
    piece: int


class PlayerCards:
    """As a table's seat holds them, but that one may have gone along with a lay that is not
    answered yet.
    """

    __slots__ = ("_base", "_holding", "away", "gone", "log")

    def __init__(self, player: int, deck: Sequence[int], row: int) -> None:
        self._base, self._holding = CARDS * player, HeldCards(deck, row)
        self.away: int | None = None  # that card's slot
        self.log: list[LaidCard] = []
        self.gone: list[LaidCard] = []  # those undone

    @property
    def row(self) -> tuple[int, ...]:
        """The open pieces, from the left."""
        base = self._base
        return tuple([base + card for card in self._holding.row])

    @property
    def top(self) -> int | None:
        """The piece on top of the discards."""
        holding = self._holding
        return self._base + holding.hand[holding.mark - 1] if holding.mark else None

    @property
    def slots(self) -> int:
        """How many pieces may be laid."""
        return len(self._holding.row) + bool(self._holding.mark)

    def piece(self, slot: int) -> int:
        """In the row, or, in the slot behind it, on top of the discards."""
        return self._base + self._holding.card(slot)

    def stock(self) -> tuple[int, ...]:
        """The pieces in the stock."""
        return tuple(self._base + card for card in self._holding.stock)

    def held(self) -> tuple[int, ...]:
        """The pieces in row and hand, without one that is away."""
        away = None if self.away is None else self.piece(self.away)
        every = (self._base + card for card in (*self._holding.row, *self._holding.hand))
        return tuple(piece for piece in every if piece != away)

    def flip(self) -> None:
        """Three cards onto the discards."""
        self._holding.flip()

    def give(self, slot: int, at: Instant) -> bool:
        """A piece was laid at an instant. Whether that turned the last stock card."""
        self.log.append(LaidCard(at, slot, self.piece(slot)))
        return self._holding.give(slot)

    def undo(self, after: Instant) -> None:
        """Back with what was accepted after an instant, the last one first, and with what was
        turned for it.
        """
        holding, stays = self._holding, []
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
