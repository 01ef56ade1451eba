"""Second opinion on poker: each hand is also played in pokerkit, with the same cards and actions.

Prices, amounts of raises, turns, and chips at the end are compared. A difference must have a ruling
in `RULINGS`, whose condition holds at that moment. After a difference in turns or in what an action
costs, the rest of the hand cannot be compared.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from pokerkit import BettingStructure

from bots.registry import BOTS
from protocol.games import Action
from protocol.games.poker.betting import BettingHand, Limit, Stage
from protocol.games.poker.edition_1.engine import (
    BettingStep,
    PokerHand,
    _apply_step,
    _deal_face_down,
    _new_hand,
    raise_amounts,
)
from protocol.games.poker.edition_1.engine import Stakes as OldStakes
from protocol.games.poker.phases import HAND_PHASES, PokerPhase
from protocol.games.poker.rules import DRAW, HOLDEM
from protocol.games.poker.state import PokerState
from protocol.limits import MAX_POKER_RAISES
from tests.support.poker import Table, any_kind, played_by, poker, start


class Ruling(NamedTuple):
    """Ruling on a difference: its source, and the condition under which the difference arises.

    Parameters of the condition: the hand at its beginning, and now.
    """

    source: str
    says: str
    holds: Callable[[BettingHand, BettingHand], bool]


def _big_blind_is_short(begun: BettingHand, hand: BettingHand) -> bool:
    """Check whether bets before the flop go with a big blind that is not all posted."""
    big = (begun.opener - 1) % len(begun.stacks)
    return not hand.stakes.draw and not hand.board and begun.bets[big] < begun.stakes.blind


def _faces_a_short_raise(begun: BettingHand, hand: BettingHand) -> bool:
    player = hand.queue[0]
    return player in hand.acted and 0 < hand.level - hand.bets[player] < hand.rise


RULINGS = {
    "short big blind": Ruling(
        "Robert's Rules of Poker, no-limit rules 2",
        "who enters the pot pays the whole big blind, and raises go beyond it; the player after "
        "the big blind begins, even if the small blind is larger",
        _big_blind_is_short,
    ),
    "short raise": Ruling(
        "TDA 47 A; Robert's Rules of Poker, no-limit rules 3",
        "who has acted and faces less than a whole bet or raise may only call or fold",
        _faces_a_short_raise,
    ),
    "half a bet": Ruling(
        "TDA 47 B; Robert's Rules of Poker, all-in",
        "with fixed limit half a bet counts as a whole one, and less is completed",
        lambda begun, hand: hand.stakes.fixed,
    ),
    "nothing for you to decide": Ruling(
        "chapter 18.10.2",
        "who has nothing to pay and nobody to bet against is not asked",
        lambda begun, hand: True,  # the comparison has seen that it can only check
    ),
    "forty raises": Ruling(
        "chapter 18.10.5",
        "a street ends some day: after 40 bets and raises only all in is left",
        lambda begun, hand: hand.raises >= MAX_POKER_RAISES,
    ),
    "first to show": Ruling(
        "TDA 17 A, and 16: when somebody is all in, all show",
        "the last street on which a player was asked decides who shows first",
        lambda begun, hand: hand.all_in and hand.all_show,
    ),
    "odd chips": Ruling(
        "TDA 20 and 21; Robert's Rules of Poker, ties 4 and 5",
        "each pot is split by itself, and nobody gets two odd chips of one pot",
        lambda begun, hand: any(len(share) > 1 for share in hand.pot_shares()),
    ),
}


@dataclass
class Compared(Table):
    """A game in progress, each hand of which pokerkit plays too."""

    first: BettingHand | None = None  # the hand at its beginning
    other: PokerHand | None = None  # the hand in pokerkit; None: it can no longer be compared
    begun: int = 0  # hands begun
    whole: int = 0  # hands compared to their end
    decisions: int = 0  # bets compared
    ruled: Counter[str] = field(default_factory=Counter)
    unruled: list[str] = field(default_factory=list)

    def step(self) -> None:
        before = self.state
        if before.phase in (PokerPhase.PLAY, PokerPhase.SETTLE) and before.taker is None:
            self._compare(before)
        super().step()
        after = self.state
        if before.phase is PokerPhase.DEAL:
            self.first, self.other = after.running, _begin(after)
            self.begun += 1
        elif self.other is not None and after.phase in HAND_PHASES:
            new = after.board[len(before.board) :]
            if new:
                self._repeat(("board", *new))

    def act(self, action: Action) -> None:
        hand = self.state.betting
        super().act(action)
        if hand is None or self.other is None:  # a rebuy, or nothing to compare
            return
        if action[0] in ("call", "fold") and hand.price(hand.queue[0]) != _price(self.other):
            self.other = None  # a ruled difference: from here on the chips differ
        elif action[0] == "raise" and not self.other.can_complete_bet_or_raise_to(action[1]):
            self.other = None
        else:
            numbers = (len(action) - 1,) if action[0] == "exchange" else action[1:]
            self._repeat((action[0], *numbers))

    def _repeat(self, step: BettingStep) -> None:
        assert self.other is not None
        _apply_step(self.other, step)
        _deal_face_down(self.other)

    def _rule(self, name: str, hand: BettingHand, what: str) -> None:
        """Count a difference under its ruling, or note it as one without."""
        assert self.first is not None
        if RULINGS[name].holds(self.first, hand):
            self.ruled[name] += 1
        else:
            self.unruled.append(f"{name}: {what}: {hand}")

    def _compare(self, state: PokerState) -> None:
        if self.other is None:
            return
        hand, other = state.running, self.other
        actor = hand.actor if hand.stage is Stage.BET else None
        while other.actor_index not in (None, actor) and _can_only_check(other):
            self._rule("nothing for you to decide", hand, "asked")
            self._repeat(("call",))
        if other.actor_index != actor:
            self._rule("short big blind", hand, f"asks {other.actor_index}")
            self.other = None
        elif actor is not None:
            self._compare_bet(hand, other)
        elif hand.stage is Stage.SHOW:
            self._compare_showdown(hand, other)
        elif state.phase is PokerPhase.SETTLE:
            self._compare_end(state, other)

    def _compare_bet(self, hand: BettingHand, other: PokerHand) -> None:
        self.decisions += 1
        price, theirs = hand.price(hand.queue[0]), _price(other)
        if price != theirs:
            self._rule("short big blind", hand, f"price {theirs}")
        mine, amounts = hand.raise_amounts(), raise_amounts(other)
        if mine == amounts:
            return
        assert self.first is not None
        if RULINGS["short big blind"].holds(self.first, hand):
            name = "short big blind"
        elif hand.stakes.fixed:
            name = "half a bet"
        elif hand.raises >= MAX_POKER_RAISES:
            name = "forty raises"
        else:
            name = "short raise"
        self._rule(name, hand, f"raises {amounts}, not {mine}")

    def _compare_showdown(self, hand: BettingHand, other: PokerHand) -> None:
        """Compare who may muck, and who shows next. Let pokerkit go on with our next player."""
        if hand.all_show is not bool(other.all_in_status):
            self.unruled.append(f"all show: {hand}")
        if other.showdown_index != hand.actor:
            self._rule("first to show", hand, f"{other.showdown_index} shows")
        while other.showdown_index != hand.actor:
            other.showdown_indices.rotate(-1)

    def _compare_end(self, state: PokerState, other: PokerHand) -> None:
        self.whole += 1
        mine = tuple(state.chips[seat] for seat in state.players)
        if other.status:
            self.unruled.append(f"not over: {state.running}")
        elif mine != tuple(other.stacks):
            self._rule("odd chips", state.running, f"{other.stacks}, not {mine}")


def _begin(state: PokerState) -> PokerHand:
    """Begin the hand in pokerkit. The small blind is half of the big one."""
    stakes = state.stakes
    stacks = tuple(state.stacks[seat] for seat in state.players)
    hand = _new_hand(OldStakes(stakes.draw, stakes.ante, stakes.blind, stakes.fixed), stacks)
    if stakes.limit is Limit.POT:
        hand.betting_structure = BettingStructure.POT_LIMIT
    return hand


def _price(hand: PokerHand) -> int:
    return hand.checking_or_calling_amount or 0


def _can_only_check(hand: PokerHand) -> bool:
    return not _price(hand) and not raise_amounts(hand)


@dataclass
class Tally:
    """Results of many hands."""

    hands: int = 0
    whole: int = 0
    decisions: int = 0
    ruled: Counter[str] = field(default_factory=Counter)
    unruled: list[str] = field(default_factory=list)


def compare_hands(count: int, seed: int) -> Tally:
    """Let bots play about `count` hands, with short and long stacks and all limits, and compare."""
    tally = Tally()
    while tally.hands < count:
        match = _match(seed)
        for _ in match.run():
            pass
        tally.hands += match.begun
        tally.whole += match.whole
        tally.decisions += match.decisions
        tally.ruled += match.ruled
        tally.unruled += [f"seed {seed}: {text}" for text in match.unruled]
        seed += 1
    return tally


def _match(seed: int) -> Compared:
    rng = Random(seed)
    name = rng.choice((HOLDEM, HOLDEM, HOLDEM, DRAW))
    blind = rng.choice((2, 3, 10, 40))
    stack = rng.choice((blind, blind + 1, 2 * blind + 3, 100, 200, 200))
    ante = rng.choice((1, 3) if name == DRAW else (0, 0, 1, 3))
    options: dict[str, int | str] = {
        "hands": 12,
        "stack": max(stack, blind),
        "blind": blind,
        "ante": min(ante, stack),
        "limit": rng.choice(tuple(Limit)).value,
        "rebuys": rng.choice((0, 2)),
        "levels": rng.choice((0, 4)),
    }
    game = poker(name, rng.randint(2, 6 if name == DRAW else 10), **options)
    bots = (any_kind, played_by(BOTS["sensible"]), played_by(BOTS["random"]))
    return Compared(game, start(game, seed), Random(seed), rng.choice(bots))
