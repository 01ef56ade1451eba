"""The coordinator: deals, starts, passes on the stop, and asks for points. It does nothing while
the players play.
"""

from dataclasses import dataclass
from typing import NamedTuple

from protocol.limits import MACHINES_READY_SECONDS, MACHINES_SCORE_SECONDS
from simulation.machines.card_conservation import missing_cards
from simulation.machines.messages import (
    COORDINATOR,
    Check,
    End,
    Init,
    Instant,
    Lost,
    Message,
    Out,
    Points,
    Ready,
    Score,
    Start,
    Stop,
)
from simulation.machines.state_tables import COORDINATOR as STEPS
from simulation.machines.state_tables import CoordinatorPhase
from simulation.models import Deck
from simulation.models.machines_round import neighbours

SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class RoundPlan:
    """Plan of a round: shuffled decks, and the rules for its start and end."""

    decks: tuple[Deck, ...]  # by player
    row: int = 4
    # all start at one instant, and lays after the instant of the stop are undone
    instants: bool = False
    # from the start signal to that instant: longer than the slowest connection needs
    lead: Instant = SECOND
    # Time without a stop, after which the round ends: no player can lay any more.
    patience: Instant = 60 * SECOND


class RoundScore(NamedTuple):
    """Result of a round: scores in the order of players. Times are in microseconds."""

    # player that turned its last stock card first; None: no player within `patience`
    stop: int | None
    duration: Instant  # from the start to the stop
    scores: tuple[Score, ...]


class VoidRound(NamedTuple):
    """A round without scores, because a process has died or a card is not where it should be."""

    why: str  # "died", "silent", "unready", "unscored", "cards", "server", "coordinator"
    # Players that have died, keep silent, or have wrong cards.
    players: tuple[int, ...]
    at: Instant  # since the start; 0 before the start
    cards: tuple[int, ...] = ()  # missing or doubled pieces


class Coordinator:
    """Coordinator of one round. `receive` takes messages; `outcome` is not None after the round."""

    def __init__(self, plan: RoundPlan) -> None:
        self.plan = plan
        self.phase = CoordinatorPhase.CREATED
        self.players = range(len(plan.decks))
        self.ready: set[int] = set()
        self.scores: dict[int, Score] = {}
        self.started: Instant = 0  # begin of play
        self.until: Instant = 0  # deadline of the current phase
        self.first: tuple[Instant, int | None] | None = None  # the earliest stop
        self.asked: Instant = 0  # instant of the last request for points
        self.outcome: RoundScore | VoidRound | None = None

    @property
    def begun(self) -> bool:
        """True once the cards are dealt."""
        return self.phase is not CoordinatorPhase.CREATED

    @property
    def undone_after(self) -> Instant | None:
        """Instant after which lays do not count; None: all lays count."""
        if self.first is None or self.first[1] is None or not self.plan.instants:
            return None
        return self.first[0]

    def begin(self, now: Instant) -> Out:
        """Deal the cards."""
        self._step(Init)
        count = len(self.players)
        deals = [
            (each, Init(neighbours(each, count), self.plan.decks[each], self.plan.row))
            for each in self.players
        ]
        return [*deals, self._wait(now, MACHINES_READY_SECONDS * SECOND)]

    def receive(self, sender: int, message: Message, now: Instant) -> Out:
        """Take a message and return the replies. A message that does not fit the phase changes
        nothing.
        """
        if type(message) not in STEPS[self.phase]:
            return []
        if type(message) is Check:
            if sender == COORDINATOR and now >= self.until:
                return self._overdue(now)
            return []
        if sender not in self.players:
            return []
        match message:
            case Ready():
                return self._ready(sender, now)
            case Stop(at):
                return self._stop(sender, at, now)
            case Score():
                return self._score(sender, message, now)
            case Lost(neighbour) if neighbour in neighbours(sender, len(self.players)):
                self.void("silent", (neighbour,), now)
        return []

    def void(
        self, why: str, players: tuple[int, ...], now: Instant, cards: tuple[int, ...] = ()
    ) -> None:
        """End the round without scores."""
        if self.phase is not CoordinatorPhase.OVER:
            since = max(now - self.started, 0) if self.started else 0
            self._over(VoidRound(why, players, since, cards))

    def _over(self, outcome: RoundScore | VoidRound) -> None:
        self.phase = CoordinatorPhase.OVER
        self.outcome = outcome

    def _step(self, kind: type) -> None:
        self.phase = STEPS[self.phase][kind]

    def _wait(self, now: Instant, time: Instant) -> tuple[int, Check]:
        self.until = now + time
        return COORDINATOR, Check(self.until)

    def _ready(self, sender: int, now: Instant) -> Out:
        self.ready.add(sender)
        if len(self.ready) < len(self.players):
            return []
        self._step(Start)
        at = int(now + self.plan.lead) if self.plan.instants else None
        self.started = now if at is None else at
        return [
            *((each, Start(at)) for each in self.players),
            self._wait(self.started, self.plan.patience),
        ]

    def _stop(self, sender: int | None, at: Instant, now: Instant) -> Out:
        """End the round with the first stop that arrives. With instants, the earliest stop counts,
        in any order of arrival.
        """
        if self.first is not None:
            if self.plan.instants and at < self.first[0]:
                self.first = at, sender
            return []
        self.first = at, sender
        self._step(End)
        return [*((each, End(at)) for each in self.players), *self._ask(now)]

    def _ask(self, now: Instant) -> Out:
        """Ask all players for points."""
        assert self.first is not None
        self.asked = self.first[0]
        self.scores.clear()
        points = Points(self.asked, self.undone_after is not None)
        return [
            *((each, points) for each in self.players),
            self._wait(now, MACHINES_SCORE_SECONDS * SECOND),
        ]

    def _score(self, sender: int, score: Score, now: Instant) -> Out:
        if score.at != self.asked:
            return []
        self.scores[sender] = score
        if len(self.scores) < len(self.players):
            return []
        assert self.first is not None
        at, stop = self.first
        if at != self.asked:  # an earlier stop has arrived
            return self._ask(now)
        scores = tuple(self.scores[each] for each in self.players)
        wrong = missing_cards(scores)
        if wrong.players:
            self.void("cards", wrong.players, now, wrong.cards)
        else:
            self._over(RoundScore(stop, at - self.started, scores))
        return []

    def _overdue(self, now: Instant) -> Out:
        """End a phase at its deadline."""
        if self.phase is CoordinatorPhase.PLAYING:
            return self._stop(None, now, now)
        there, why = (
            (self.ready, "unready")
            if self.phase is CoordinatorPhase.DEALING
            else (self.scores.keys(), "unscored")
        )
        self.void(why, tuple(each for each in self.players if each not in there), now)
        return []
