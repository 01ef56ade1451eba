"""Poker without keys: only the rules, and a pack of cards that a simple dealer moves."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from bots.registry import Bot
from protocol.crypto.joint_randomness import JointRandomness
from protocol.games import Act, Action, Hand, Over, Settle
from protocol.games.operations import EVERYBODY, Lay, Look, Pile, PutAway, Reveal, Shuffle
from protocol.games.poker.cards import CARDS
from protocol.games.poker.rules import Poker
from protocol.games.poker.state import PokerState
from protocol.games.registry import create_game
from tests.support.views import position

Chooser = Callable[[Poker, PokerState, int, Hand, tuple[Action, ...], Random], Action]


def cards(text: str) -> Hand:
    """Return the pieces of a text such as "As Kd"."""
    return tuple(CARDS.index(name) for name in text.split())


def poker(name: str, seats: int, **options: int | str) -> Poker:
    game = create_game(name, seats, options)
    assert isinstance(game, Poker)
    return game


def start(game: Poker, seed: int = 1) -> PokerState:
    return game.start(JointRandomness(bytes(32), [Random(seed).randbytes(32)]))


def played_by(bot: Bot) -> Chooser:
    """Let a bot choose for every seat."""
    return lambda game, state, seat, hand, legal, rng: bot(position(game, state, seat, hand), rng)


def any_kind(
    game: Poker, state: PokerState, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random
) -> Action:
    """Choose a random kind of action, folding less often, so that hands reach their end."""
    kinds = sorted({action[0] for action in legal})
    kind = rng.choice(kinds)
    kind = "call" if kind == "fold" and rng.random() < 0.6 else kind
    return rng.choice([action for action in legal if action[0] == kind])


@dataclass
class Table:
    """A game in progress: the state, and the place of every card."""

    game: Poker
    state: PokerState
    rng: Random
    chooser: Chooser = any_kind
    pack: list[int] = field(default_factory=list)  # stock; cards are dealt from its end
    away: list[int] = field(default_factory=list)
    hands: dict[int, Hand] = field(default_factory=dict)
    board: Hand = ()
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.pack = self.pack or self.rng.sample(range(len(CARDS)), len(CARDS))

    def run(self) -> Iterator[PokerState]:
        """Yield every state until the match is over."""
        while not isinstance(self.game.wants(self.state), Over):
            self.step()
            yield self.state

    def play(self, *actions: Action) -> None:
        """Play these actions one after the other, with everything between them that needs no
        seat.
        """
        self.settle_down()
        for action in actions:
            self.act(action)
            self.settle_down()

    def settle_down(self) -> None:
        """Run until a seat is to act or the match is over."""
        while not isinstance(self.game.wants(self.state), Act | Over):
            self.step()

    def step(self) -> None:
        """Do the next thing that the rules ask for."""
        match self.game.wants(self.state):
            case Lay((Pile(_, each),), seats):
                self._deal(each, seats or ())
            case (Look(count, whose),):
                assert whose == EVERYBODY
                self.board = (*self.board, *(self.pack.pop() for _ in range(count)))
                self.state = self.game.after_deal(self.state, self.board)
            case (Shuffle(),):
                self.pack, self.away = (
                    self.rng.sample(self.pack + self.away, len(self.pack + self.away)),
                    [],
                )
                self.seen["reshuffle"] += 1
                self.state = self.game.after_deal(self.state, self.board)
            case Settle():
                self.state, misplays = self.game.settle(self.state, (), ())
                assert misplays == ()
                self.pack = self.rng.sample(range(len(CARDS)), len(CARDS))
            case Act((seat,)):
                hand = self.hands.get(seat, ())
                legal = self.game.legal(self.state, seat, hand)
                self.act(self.chooser(self.game, self.state, seat, hand, legal, self.rng))

    def _deal(self, each: int, seats: tuple[int, ...]) -> None:
        self.hands = {seat: tuple(self.pack.pop() for _ in range(each)) for seat in seats}
        self.board, self.away = (), []
        self.state = self.game.after_deal(self.state, ())

    def act(self, action: Action) -> None:
        """Apply an action of the seat to act."""
        seat = self.state.to_act
        assert seat is not None
        operations = self.game.check(self.state, seat, self.game.parse(list(action)))
        for operation in operations:
            hand = self.hands[seat]
            match operation:
                case PutAway(slots):
                    self.away += [hand[slot] for slot in slots]
                    self.hands[seat] = tuple(
                        piece for slot, piece in enumerate(hand) if slot not in slots
                    )
                case Look(count, whose):
                    assert whose == seat
                    self.hands[seat] = (*hand, *(self.pack.pop() for _ in range(count)))
                case Reveal(piece):
                    assert piece in hand
        if action[0] == "show":
            assert {Reveal(piece) for piece in self.hands[seat]} == set(operations)
        self.seen[action[0]] += 1
        self.state = self.game.apply(self.state, seat, action)


def table(game: Poker, seed: int = 1, chooser: Chooser = any_kind, pack: str = "") -> Table:
    """Begin a match. `pack` gives the first cards of the first hand, in the order of dealing."""
    rng = Random(seed)
    first = cards(pack)
    rest = [piece for piece in rng.sample(range(len(CARDS)), len(CARDS)) if piece not in first]
    return Table(game, start(game, seed), rng, chooser, [*rest, *reversed(first)])
