"""All of a round in this process, in virtual time: the same players and coordinator, and lines as a
model has them.

What is drawn is the time of each call, in the order in which the calls are made: the same draws,
the same round.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from simulation.machines.coordinator import Coordinator, RoundPlan, RoundScore, VoidRound
from simulation.machines.messages import (
    COORDINATOR,
    Answer,
    Check,
    Instant,
    Lay,
    Look,
    Message,
    Out,
    Seen,
    Wake,
)
from simulation.machines.player import ActCosts, Player
from simulation.machines.strategies import Strategy
from simulation.models import MachinesModel

Event = tuple[Instant, int, int, int, Message]  # when, which before which, to whom, from whom, what
Watch = Callable[["VirtualRound"], None]


class VirtualRound:
    """Players, a coordinator and what is under way between them."""

    def __init__(
        self, plan: RoundPlan, strategy: Strategy, timing: MachinesModel, draw: Callable[[], float]
    ) -> None:
        self.timing, self.draw = timing, draw
        self.now: Instant = 0.0
        costs = ActCosts(timing.own, timing.flip)
        self.players = [Player(number, strategy, costs) for number in range(len(plan.decks))]
        self.coordinator = Coordinator(plan)
        self.events: list[Event] = []
        self.sent = 0
        self.calls: dict[int, Instant] = {}  # by who asks: when its call is over

    def play(self, watch: Watch = lambda world: None) -> RoundScore | VoidRound:
        """Until it is over; `watch` looks on after each event."""
        self.begin()
        while self.coordinator.outcome is None:
            self.step()
            watch(self)
        return self.coordinator.outcome

    def begin(self) -> None:
        """Deal."""
        self._send(COORDINATOR, self.coordinator.begin(self.now))

    def step(self) -> None:
        """The next event."""
        self.now, _, to, sender, message = heappop(self.events)
        machine = self.coordinator if to == COORDINATOR else self.players[to]
        self._send(to, machine.receive(sender, message, self.now))

    def under_way(self) -> Iterator[Message]:
        """What has been sent and has not arrived."""
        return (message for _, _, _, _, message in self.events)

    def _send(self, sender: int, out: Out) -> None:
        signals = 0
        for to, message in out:
            if isinstance(message, Wake | Check):
                at = message.at
            elif sender == COORDINATOR:
                at = self.now + signals * self.timing.delta
                signals += 1
            else:
                at = self._arrives(sender, to, message)
            self.sent += 1
            heappush(self.events, (at, self.sent, to, sender, message))

    def _arrives(self, sender: int, to: int, message: Message) -> Instant:
        """When a message comes in: a call when half of its time is over, and its answer when all
        is.
        """
        if isinstance(message, Lay | Look):
            time = self.timing.call * (1.0 + self.timing.spread * (2.0 * self.draw() - 1.0))
            self.calls[sender] = self.now + time
            return self.now + time / 2.0
        return self.calls[to] if isinstance(message, Answer | Seen) else self.now
