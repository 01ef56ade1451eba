"""A round in this process in virtual time, with the same players and coordinator. The model gives
the times of messages.

The time of each call is drawn in the order of calls, so equal draws give equal rounds.
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

Event = tuple[Instant, int, int, int, Message]  # time, tie-breaker, receiver, sender, message
Watch = Callable[["VirtualRound"], None]


class VirtualRound:
    """Players, a coordinator and the messages between them."""

    def __init__(
        self, plan: RoundPlan, strategy: Strategy, timing: MachinesModel, draw: Callable[[], float]
    ) -> None:
        self.timing = timing
        self.draw = draw
        self.now: Instant = 0.0
        costs = ActCosts(timing.own, timing.flip)
        self.players = [Player(number, strategy, costs) for number in range(len(plan.decks))]
        self.coordinator = Coordinator(plan)
        self.events: list[Event] = []
        self.sent = 0
        self.calls: dict[int, Instant] = {}  # by caller: end of its call

    def play(self, watch: Watch = lambda world: None) -> RoundScore | VoidRound:
        """Play the round; call `watch` after each event."""
        self.begin()
        while self.coordinator.outcome is None:
            self.step()
            watch(self)
        return self.coordinator.outcome

    def begin(self) -> None:
        """Deal the cards."""
        self._send(COORDINATOR, self.coordinator.begin(self.now))

    def step(self) -> None:
        """Handle the next event."""
        self.now, _, to, sender, message = heappop(self.events)
        machine = self.coordinator if to == COORDINATOR else self.players[to]
        self._send(to, machine.receive(sender, message, self.now))

    def under_way(self) -> Iterator[Message]:
        """Iterate over the messages that have not arrived yet."""
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
        """Time of arrival: a call arrives after half of its time, the answer after the whole
        time.
        """
        if isinstance(message, Lay | Look):
            time = self.timing.call * (1.0 + self.timing.spread * (2.0 * self.draw() - 1.0))
            self.calls[sender] = self.now + time
            return self.now + time / 2.0
        if isinstance(message, Answer | Seen):
            return self.calls[to]
        return self.now
