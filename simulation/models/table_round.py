"""The table model, event by event: the reference for the compiled code.

A seat has one act under way. When the answer arrives, the seat sees the table and chooses its next
act; a flip needs no answer. Lays of other seats are seen at once; with `late_news`, they take as
long as an answer.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heapreplace
from random import Random

from protocol.games.ligretto.moves import DRY_FLIPS
from simulation.models import CARDS, NUMBERS, Deck, RoundResult, TableModel
from simulation.models.held_cards import HeldCards
from simulation.models.lookahead import Lookahead
from simulation.models.random_draws import CELLS, quantiles, shuffled

# instead of a slot: a flip, or an answer, is under way
FLIPPING = -1
WAITING = -2
NEW = -1  # instead of a pile: a new pile, for a 1

# (time of arrival, random number that orders equal times, seat)
Event = tuple[float, float, int]


def table_rounds(table: TableModel, seed: int, rounds: int) -> Iterator[RoundResult]:
    """Play `rounds` rounds."""
    random = Random(seed)
    for _ in range(rounds):
        decks = table.decks or [shuffled(random) for _ in range(table.seats)]
        yield TableRound(table, decks, random).play()


class TableRound:
    """One round at a table."""

    def __init__(
        self, table: TableModel, decks: Sequence[Deck | list[int]], random: Random
    ) -> None:
        seats = range(table.seats)
        self.table = table
        self.draw = random.random
        self.quantiles = quantiles(table.cv)
        self.think = mean_think_times(table)
        self.away, self.back = latencies(table)
        # Planning seats; True: the seat knows its whole deck.
        self.planning = {seat: False for seat, does in enumerate(table.careful) if does}
        self.planning |= {seat: True for seat, does in enumerate(table.ahead) if does}
        self.holdings = [HeldCards(deck, table.row) for deck in decks]
        # By card: the piles that it fits on.
        self.fits: list[list[int]] = [[] if card % NUMBERS else [NEW] for card in range(CARDS)]
        self.piles = 0
        self.slot = [FLIPPING for _ in seats]
        self.pile = [NEW for _ in seats]
        self.laid, self.attempts, self.late, self.flips = ([0 for _ in seats] for _ in range(4))
        self.rescues = self.in_vain = 0
        self.events = [self.choose_act(0.0, seat) for seat in seats]
        heapify(self.events)

    def play(self) -> RoundResult:
        """Play until a seat has no stock left, or the round is given up."""
        events = self.events
        slots = self.slot
        while True:
            now, _, seat = events[0]
            if slots[seat] == FLIPPING:
                if self.take_flip(seat):
                    return self.round(None, now)
            elif slots[seat] != WAITING:
                if self.take_lay(seat):
                    return self.round(seat if not self.holdings[seat].stock else None, now)
                if self.back[seat]:
                    slots[seat] = WAITING
                    heapreplace(events, (now + self.back[seat], 0.0, seat))
                    continue
            heapreplace(events, self.choose_act(now, seat))

    def choose_act(self, now: float, seat: int) -> Event:
        """Choose the next act of a seat from the table as it is now. Return its arrival as an
        event.
        """
        slot = self.slot[seat] = self.choose_slot(seat)
        at = self.draw() * CELLS
        cell = int(at)
        low = self.quantiles[cell]
        time = now + self.think[seat] * (low + (at - cell) * (self.quantiles[cell + 1] - low))
        if slot == FLIPPING:
            return time, 0.0, seat
        self.pile[seat] = self.fits[self.holdings[seat].card(slot)][0]
        time += self.away[seat]
        window = self.table.windows
        if window > 0.0:
            return (int(time / window) + 1) * window, self.draw(), seat
        return time, 0.0, seat

    def choose_slot(self, seat: int) -> int:
        """Choose a slot by the seat's plan. Without a plan: a random row card that fits, else the
        top of the discards, else a flip.
        """
        holding = self.holdings[seat]
        fits = self.fits
        if seat in self.planning:
            return self.choose_by_plan(holding, self.planning[seat])
        slots = [slot for slot, card in enumerate(holding.row) if fits[card]]
        if slots:
            if len(slots) > 1:
                return slots[int(self.draw() * len(slots))]
            return slots[0]
        if holding.mark and fits[holding.hand[holding.mark - 1]]:
            return len(holding.row)
        return FLIPPING

    def choose_by_plan(self, holding: HeldCards, knows: bool) -> int:
        """Choose the first act of one of the best plans."""
        best = Lookahead(holding, self.fits, knows).best()
        if len(best) > 1:
            slot = best[int(self.draw() * len(best))]
        else:
            slot = best[0]
        return slot if slot <= len(holding.row) else FLIPPING

    def take_lay(self, seat: int) -> bool:
        """Take a lay that arrives. Return True if it ends the round."""
        self.attempts[seat] += 1
        holding = self.holdings[seat]
        slot = self.slot[seat]
        pile = self.pile[seat]
        card = holding.card(slot)
        piles = self.fits[card]
        if pile not in piles or not (holding.mark or slot < len(holding.row)):
            self.late[seat] += 1
            return False
        if pile == NEW:
            pile = self.piles
            self.piles += 1
        else:
            piles.remove(pile)
        if card % NUMBERS < NUMBERS - 1:
            self.fits[card + 1].append(pile)
        self.laid[seat] += 1
        self.in_vain = 0
        for each in self.holdings:
            each.taken_up = 0
        return holding.give(slot) or (not holding.hand and self.rescue_or_give_up())

    def take_flip(self, seat: int) -> bool:
        """Flip for a seat, or let it wait if it may not flip. Return True if the round is given
        up.
        """
        holding = self.holdings[seat]
        if not holding.may_flip():
            return False
        self.flips[seat] += 1
        holding.flip()
        return holding.taken_up >= DRY_FLIPS and self.rescue_or_give_up()

    def rescue_or_give_up(self) -> bool:
        """Rescue a gridlocked round. Return True if the limit of rescues is reached, so the round
        is given up.
        """
        if not self.is_stuck():
            return False
        if self.in_vain == self.table.rescues or not any(holding.hand for holding in self.holdings):
            return True
        self.in_vain += 1
        self.rescues += 1
        for holding in self.holdings:
            holding.rescue()
        return False

    def is_stuck(self) -> bool:
        """Check by the game's rule that no seat can lay; a seat that can lay does so."""
        if any(holding.taken_up < DRY_FLIPS and holding.hand for holding in self.holdings):
            return False
        return not any(self.fits[card] for holding in self.holdings for card in holding.visible())

    def round(self, stop: int | None, now: float) -> RoundResult:
        return RoundResult(
            stop,
            now,
            tuple(
                laid - 2 * len(holding.stock)
                for laid, holding in zip(self.laid, self.holdings, strict=True)
            ),
            tuple(self.laid),
            tuple(self.attempts),
            tuple(self.late),
            tuple(self.flips),
            self.rescues,
            sum(slot >= 0 for slot in self.slot) - (stop is not None),
        )


def mean_think_times(table: TableModel) -> list[float]:
    """Mean think time of each seat."""
    return [*table.think, *[1.0] * table.seats][: table.seats]


def latencies(table: TableModel) -> tuple[list[float], list[float]]:
    """Travel time of a lay and of its answer, by seat, after the table has levelled latencies.

    With late news, both ways count when a lay is chosen: the seat then sees a table that is as old
    as an answer, also after flips.
    """
    ways = [
        max(each, table.level) for each in [*table.latency, *[0.0] * table.seats][: table.seats]
    ]
    if table.late_news:
        return ([2.0 * way for way in ways], [0.0] * table.seats)
    return (ways, ways)
