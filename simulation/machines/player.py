"""A player as a state machine: messages in, messages out. It has no clock, no randomness and no
connection.
"""

from typing import NamedTuple

from protocol.errors import LocalError
from protocol.limits import MACHINES_ANSWER_SECONDS, MACHINES_OWN_ACTS
from simulation.machines.messages import (
    COORDINATOR,
    Answer,
    Check,
    End,
    Init,
    Instant,
    Lay,
    LayVerdict,
    Look,
    Lost,
    Message,
    Out,
    Points,
    Ready,
    Score,
    Seen,
    Start,
    Stop,
    Tally,
    Wake,
)
from simulation.machines.piles import Piles
from simulation.machines.player_cards import PlayerCards
from simulation.machines.state_tables import PLAYER, PlayerState
from simulation.machines.strategies import (
    Choice,
    Flip,
    LookAtNeighbour,
    PlayerSight,
    PutCard,
    Strategy,
    StrategyRun,
)
from simulation.models import CARDS

OVERDUE = MACHINES_ANSWER_SECONDS * 1_000_000  # microseconds


class ActCosts(NamedTuple):
    """Time of own acts in microseconds, for virtual time only; in real time, acts take as long as
    they take.
    """

    own: float = 0.0  # to try a card on the own piles
    flip: float = 0.0


class NeighbourCall(NamedTuple):
    """The one unanswered call to a neighbour."""

    number: int
    to: int
    slot: int | None  # slot of the card in the call; None: a look
    since: Instant


class Player:
    """A player. The owner sends what `receive` returns, in this order."""

    def __init__(self, me: int, strategy: Strategy, costs: ActCosts | None = None) -> None:
        self.me = me
        self.strategy = strategy
        self.costs = costs
        self.state = PlayerState.CREATED
        self.piles = Piles()
        self.neighbours: tuple[int, ...] = ()
        self.cards: PlayerCards
        self.mind: StrategyRun | None = None
        self.doing: PutCard | Flip | None = None  # an own act under way
        self.begins: Instant | None = None
        self.call: NeighbourCall | None = None
        self.calls = self.attempts = self.looks = self.late = self.flips = 0
        self.heard: dict[int, int] = {}  # by neighbour: number of its last call
        self.seen: dict[int, Seen] = {}
        self.result: LayVerdict | None = None
        self.first = True
        self.owed: Points | None = None

    def receive(self, sender: int, message: Message, now: Instant) -> Out:
        """Take a message and return the replies. A message that does not fit the state changes
        nothing.
        """
        kind = type(message)
        if kind not in PLAYER[self.state]:
            return []
        if kind is Lay:
            return self._lay(sender, message, now)  # type: ignore[arg-type]
        if kind is Answer:
            return self._answer(sender, message, now)  # type: ignore[arg-type]
        return self._others(sender, message, now)

    def _others(self, sender: int, message: Message, now: Instant) -> Out:
        """Take a message other than a lay or an answer, which are the most frequent."""
        match message:
            case Look() if self._fresh(sender, message.number):
                return [(sender, self._show(message.number))]
            case Seen():
                return self._shown(sender, message, now)
            case Wake() if sender == self.me:
                return self._wake(now)
            case Check() if sender == self.me:
                return self._check(now)
            case Init() | Start() | End() | Points() if sender == COORDINATOR:
                return self._told(message, now)
        return []

    def _step(self, kind: type) -> None:
        self.state = PLAYER[self.state][kind]

    # messages of the coordinator

    def _told(self, message: Init | Start | End | Points, now: Instant) -> Out:
        match message:
            case Init(around, deck, row):
                self._step(Init)
                self.neighbours = around
                self.cards = PlayerCards(self.me, deck, row)
                self._step(Ready)
                return [(COORDINATOR, Ready())]
            case Start(at) if self.begins is None:
                self.begins = now if at is None else max(at, now)
                return [(self.me, Wake(self.begins))]
            case End():
                self._step(End)
            case Points():
                self.owed = message
                return self._pay()
        return []

    def _pay(self) -> Out:
        """Send the score that was asked for, unless a lay is still under way."""
        if self.owed is None or (self.call is not None and self.call.slot is not None):
            return []
        at, undo = self.owed
        self.owed = None
        cards = self.cards
        if undo:
            self.piles.undo(at)
            cards.undo(at)
        self._step(Score)
        after = len(cards.gone) + sum(laid.at > at for laid in cards.log)
        tally = Tally(len(cards.log), after, self.attempts, self.looks, self.late, self.flips)
        return [
            (
                COORDINATOR,
                Score(at, tally, cards.stock(), cards.held(), tuple(map(tuple, self.piles.cards))),
            )
        ]

    # calls of neighbours

    def _fresh(self, sender: int, number: int) -> bool:
        """Check that a call comes from a neighbour and is not an old call again."""
        if sender not in self.neighbours or number <= self.heard.get(sender, 0):
            return False
        self.heard[sender] = number
        return True

    def _lay(self, sender: int, lay: Lay, now: Instant) -> Out:
        number, piece = lay
        if piece // CARDS != sender or not self._fresh(sender, number):
            return []
        verdict = self.piles.verdict(piece, own=False)
        if verdict is LayVerdict.LAID:
            if self.state is PlayerState.PLAYING:
                self.piles.lay(piece, now)
                return [(sender, Answer(number, verdict, None, now))]
            verdict = LayVerdict.LATE
        return [(sender, Answer(number, verdict, piece, self.piles.passed(piece)))]

    def _show(self, number: int) -> Seen:
        return Seen(number, self.cards.row, self.cards.top, self.piles.heights)

    # own acts

    def _wake(self, now: Instant) -> Out:
        if self.state is PlayerState.PLAYING:
            return self._play(now)
        if self.begins is None or now < self.begins:
            return []
        self._step(Wake)
        self.mind = self.strategy(self._sight())
        return [(self.me, Check(now + OVERDUE)), *self._play(now)]

    def _check(self, now: Instant) -> Out:
        """Report a neighbour that does not answer."""
        call = self.call
        if call is not None and now - call.since >= OVERDUE:
            return [(COORDINATOR, Lost(call.to))]
        return [(self.me, Check(now + OVERDUE / 4))]

    def _sight(self) -> PlayerSight:
        cards = self.cards
        return PlayerSight(
            self.me,
            self.neighbours,
            cards.row,
            cards.top,
            self.piles.heights,
            self.seen,
            self.result,
        )

    def _play(self, now: Instant) -> Out:
        """Do own acts until one takes time or a neighbour is called."""
        for _ in range(MACHINES_OWN_ACTS):
            own = self.doing
            self.doing = None
            if own is None:
                choice = self._choice()
                if choice is None:
                    return []
                if isinstance(choice, LookAtNeighbour) or (
                    isinstance(choice, PutCard) and choice.at != self.me
                ):
                    return self._ask(choice, now)
                if self.costs is not None:
                    self.doing = choice
                    return [
                        (
                            self.me,
                            Wake(
                                now
                                + (self.costs.flip if isinstance(choice, Flip) else self.costs.own)
                            ),
                        )
                    ]
                own = choice
            if sent := self._own(own, now):
                return sent
        return [(self.me, Wake(now))]

    def _choice(self) -> Choice | None:
        """Ask the strategy for the next act; None: the strategy has ended. Raises: LocalError for
        an impossible act.
        """
        if self.mind is None:
            return None
        try:
            if self.first:
                choice = next(self.mind)
            else:
                choice = self.mind.send(self._sight())
        except StopIteration:
            self.mind = None
            return None
        self.first = False
        if type(choice) is PutCard and not 0 <= choice.slot < self.cards.slots:
            raise LocalError("wrong.machines.choice")
        return choice

    def _own(self, choice: PutCard | Flip, now: Instant) -> Out:
        """Do an act that needs no neighbour."""
        if isinstance(choice, PutCard):
            return self._open(choice.slot, now)
        self.flips += 1
        self.cards.flip()
        return []

    def _ask(self, choice: PutCard | LookAtNeighbour, now: Instant) -> Out:
        """Call a neighbour. Raises: LocalError if the strategy named another player."""
        at = choice.at
        if at not in self.neighbours:
            raise LocalError("wrong.machines.choice")
        self.calls = number = self.calls + 1
        if type(choice) is PutCard:
            self.attempts += 1
            self.call = NeighbourCall(number, at, choice.slot, now)
            self.cards.away = choice.slot
            return [(at, Lay(number, self.cards.piece(choice.slot)))]
        self.looks += 1
        self.call = NeighbourCall(number, at, None, now)
        return [(at, Look(number))]

    def _open(self, slot: int, now: Instant) -> Out:
        """Try a card on the own piles."""
        piece = self.cards.piece(slot)
        self.result = self.piles.verdict(piece, own=True)
        if self.result is not LayVerdict.LAID:
            return []
        self.piles.lay(piece, now)
        return self._gave(slot, now, now)

    def _gave(self, slot: int, at: Instant, now: Instant) -> Out:
        """Remove a laid card and turn the next; after the last stock card, report the stop."""
        if not self.cards.give(slot, at) or self.state is not PlayerState.PLAYING:
            return []
        self._step(Stop)
        self.mind = None  # the piles stay open until the end signal
        return [(COORDINATOR, Stop(now))]

    def _answer(self, sender: int, answer: Answer, now: Instant) -> Out:
        call = self.call
        number, verdict, piece, at = answer
        if call is None or call.slot is None or number != call.number or sender != call.to:
            return []
        if piece != (None if verdict is LayVerdict.LAID else self.cards.piece(call.slot)):
            return []  # this is not the card that was sent, so the answer is invalid
        self.call = None
        self.cards.away = None
        self.result = verdict
        self.late += verdict is LayVerdict.LATE and at > call.since
        if verdict is LayVerdict.LAID:
            sent = self._gave(call.slot, at, now)
        else:
            sent = []
        return self._on(sent, now)

    def _shown(self, sender: int, seen: Seen, now: Instant) -> Out:
        call = self.call
        if call is None or call.slot is not None or seen.number != call.number or sender != call.to:
            return []
        self.call = None
        self.seen[sender] = seen
        return self._on([], now)

    def _on(self, sent: Out, now: Instant) -> Out:
        """Go on after an answer."""
        return sent + (self._play(now) if self.state is PlayerState.PLAYING else self._pay())
