"""The machines model, event by event: the reference for the compiled code.

A player does one thing at a time. A call reaches the neighbour after half of its time and is
answered at once, in the order of arrival. A laid card is gone, and the stock card turned, from this
moment. The player goes on when the answer is back.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from math import inf
from random import Random

from simulation.models import NUMBERS, Deck, MachinesModel, RoundResult
from simulation.models.held_cards import HeldCards
from simulation.models.random_draws import shuffled

COLOURS = 4
# instead of a slot
LOOK = -1
FLIP = -2
STOP = -3
OWN = -1  # instead of a neighbour
REACH = 3  # neighbours on either side


def machines_rounds(machines: MachinesModel, seed: int, rounds: int) -> Iterator[RoundResult]:
    """Play `rounds` rounds."""
    random = Random(seed)
    for _ in range(rounds):
        decks = machines.decks or [shuffled(random) for _ in range(machines.players)]
        yield MachinesRound(machines, decks, random).play()


def neighbours(player: int, players: int) -> tuple[int, ...]:
    """Three neighbours on each side in a ring, the nearest first; all other players if there are at
    most seven.
    """
    steps = [side * step for step in range(1, REACH + 1) for side in (1, -1)]
    return tuple(dict.fromkeys((player + step) % players for step in steps if step % players))


class ModelPlayer:
    """A player with its piles: at most one of each colour, for a deck has one 1 of each."""

    __slots__ = (
        "attempts",
        "began",
        "changed",
        "dry_at",
        "end",
        "flips",
        "free",
        "holding",
        "laid",
        "late",
        "needed",
        "neighbours",
        "slot",
        "start",
        "target",
    )

    def __init__(self, deck: Sequence[int], machines: MachinesModel, place: int) -> None:
        self.holding = HeldCards(deck, machines.row)
        self.neighbours = neighbours(place, machines.players)
        # By colour: the card that fits next.
        self.needed = [NUMBERS * colour for colour in range(COLOURS)]
        self.changed = [0.0] * COLOURS  # time of the last change of `needed`
        if machines.instants:
            self.start = 0.0
        else:
            self.start = place * machines.delta
        self.end = inf
        # begin and end of the step under way
        self.began = self.start
        self.free = self.start
        self.slot = 0
        self.target = OWN
        self.laid = self.attempts = self.late = self.flips = 0
        # value of `lays` when the player took up its discards the first time since a lay
        self.dry_at = -1


class MachinesRound:
    """One round of the machines."""

    def __init__(
        self, machines: MachinesModel, decks: Sequence[Deck | list[int]], random: Random
    ) -> None:
        self.machines = machines
        self.draw = random.random
        self.players = [ModelPlayer(deck, machines, place) for place, deck in enumerate(decks)]
        self.lays = self.dry = 0
        self.stop: int | None = None
        self.stopped = inf
        self.laid_before = 0
        # By player: cards laid and stock cards left at the stop.
        self.kept: list[tuple[int, int]] = []
        self.events = [
            (self.begin_step(player), place) for place, player in enumerate(self.players)
        ]
        heapify(self.events)

    def play(self) -> RoundResult:
        """Play until the end signal has reached all players, or all are stuck."""
        events = self.events
        while events:
            now, place = events[0]
            player = self.players[place]
            if self.has_ended(player, now):
                heappop(events)
                continue
            again = self.step(player, place, now)
            if self.stop is not None and not self.machines.to_end:
                break
            if self.dry == len(self.players) and self.stop is None:
                self.stopped = now
                break
            if again and player.free < player.end:
                heapreplace(events, (self.begin_step(player), place))
            else:
                heappop(events)
        return self.round()

    def has_ended(self, player: ModelPlayer, now: float) -> bool:
        """Check that the end signal reached a player before its next step. A call under way is
        still answered.
        """
        if player.slot in (FLIP, STOP) or player.target == OWN:
            return now >= player.end
        ended = player.began >= player.end
        player.attempts -= ended
        return ended

    def step(self, player: ModelPlayer, place: int, now: float) -> bool:
        """Finish the step of a player. Return True if the player goes on."""
        if player.slot == FLIP:
            self.flip(player)
        elif player.slot == STOP:
            self.take_stop(place, now)
            return False
        elif player.slot == LOOK:
            self.look(player, self.players[player.neighbours[player.target]])
        elif not self.offer(player, now):
            self.advance(player)
        elif not player.holding.stock:
            player.slot = STOP
        else:
            player.slot = 0
            player.target = OWN
        return True

    def begin_step(self, player: ModelPlayer) -> float:
        """Begin the next step when the last is over. Return the time of its arrival."""
        machines = self.machines
        player.began = player.free
        if player.slot == STOP:
            return player.free
        if player.slot == FLIP:
            player.free += machines.flip
        elif player.target == OWN:
            player.free += machines.own
        else:
            player.attempts += 1
            time = machines.call * (1.0 + machines.spread * (2.0 * self.draw() - 1.0))
            player.free += time
            return player.began + time / 2.0
        return player.free

    def offer(self, player: ModelPlayer, now: float) -> bool:
        """Offer a card to the player's own piles or a neighbour's. Return True if it is laid.

        A 1 is never offered to a neighbour: the player tries it on its own piles first, and a 1
        always opens a pile.
        """
        if player.target == OWN:
            owner = player
        else:
            owner = self.players[player.neighbours[player.target]]
        card = player.holding.card(player.slot)
        colour = card // NUMBERS
        needed = owner.needed[colour]
        if needed != card or not owner.start <= now < owner.end:
            if needed == card + 1 and owner.changed[colour] > player.began:
                player.late += 1
            return False
        owner.needed[colour] = card + 1 if card % NUMBERS < NUMBERS - 1 else -1
        owner.changed[colour] = now
        player.holding.give(player.slot)
        player.laid += 1
        self.lays += 1
        self.dry = 0
        return True

    def look(self, player: ModelPlayer, owner: ModelPlayer) -> None:
        """Look at a neighbour's piles, and choose the first card that fits there."""
        holding = player.holding
        needed = owner.needed
        for slot in range(self.candidates(holding)):
            card = holding.card(slot)
            if needed[card // NUMBERS] == card:
                player.slot = slot
                return
        self.advance(player)

    def candidates(self, holding: HeldCards) -> int:
        """Number of cards that may be laid."""
        return len(holding.row) + (holding.mark > 0)

    def advance(self, player: ModelPlayer) -> None:
        """Go to the next pile or card; after the last, to a flip."""
        player.target += 1
        if self.machines.look and (
            player.target > 0 or player.slot + 1 == self.candidates(player.holding)
        ):
            player.slot = LOOK
        elif self.machines.look or player.target == len(player.neighbours):
            player.slot = player.slot + 1
            player.target = OWN
        if player.target == len(player.neighbours) or player.slot == self.candidates(
            player.holding
        ):
            player.slot = FLIP

    def flip(self, player: ModelPlayer) -> None:
        """Flip three cards. A player is dry if it takes up its discards twice without a lay
        between.
        """
        player.flips += bool(player.holding.hand)
        if player.holding.flip():
            self.dry += player.dry_at == self.lays
            if player.dry_at != self.lays:
                player.dry_at = self.lays
            else:
                player.dry_at = -2
        player.slot = 0
        player.target = OWN

    def take_stop(self, place: int, now: float) -> None:
        """Take the message of a player without stock; the first such message sends the end
        signal.
        """
        if self.stop is None:
            self.stop = place
            self.stopped = now
            self.laid_before = self.lays
            self.kept = [(player.laid, len(player.holding.stock)) for player in self.players]
            for at, player in enumerate(self.players):
                player.end = now + at * self.machines.delta

    def round(self) -> RoundResult:
        players = self.players
        undone = self.machines.instants and self.stop is not None
        if undone:
            left = self.kept
        else:
            left = [(player.laid, len(player.holding.stock)) for player in players]
        return RoundResult(
            self.stop,
            self.stopped,
            tuple(laid - 2 * stock for laid, stock in left),
            tuple(laid for laid, _ in left),
            tuple(player.attempts for player in players),
            tuple(player.late for player in players),
            tuple(player.flips for player in players),
            0,
            self.lays - self.laid_before if self.stop is not None else 0,
        )
