"""A fixed sample of poker hands, written after public rulings and examples: the rules of the Poker
Tournament Directors Association (TDA, 2022, with its illustrations) and Robert's Rules of Poker
(version 11). Only numbers are taken from them.

Players are named by their place after the button: with blinds, 0 is the small blind and 1 the big
blind; of two players 1 is the button.
"""

from dataclasses import dataclass

from protocol.games.poker.betting import BettingHand, Blinds, Limit, Stage, Stakes, begin_hand
from tests.support.poker import cards

Step = str | int  # "fold", "call", "board", or the amount of a raise
BOARD = cards("2c 7d 9h Jc 3s")


def holdem(
    blind: int, stacks: tuple[int, ...], small: int | None = None, **more: object
) -> BettingHand:
    stakes = Stakes(False, 0, blind, blind // 2 if small is None else small)
    blinds = Blinds(1, 0) if len(stacks) == 2 else Blinds(0, 1)
    return begin_hand(stakes._replace(**more), stacks, blinds)


def draw(bet: int, stacks: tuple[int, ...], ante: int = 1, **more: object) -> BettingHand:
    return begin_hand(Stakes(True, ante, bet)._replace(**more), stacks, Blinds())


def after(hand: BettingHand, *steps: Step) -> BettingHand:
    """Play steps, each of which must be allowed."""
    for step in steps:
        if isinstance(step, int):
            assert step in hand.raise_amounts(), (step, hand.raise_amounts())
            hand = hand.raise_to(step)
        elif step == "fold":
            assert hand.may_fold()
            hand = hand.fold()
        elif step == "call":
            assert hand.stage is Stage.BET
            hand = hand.call()
        else:
            count = hand.board_count
            hand = hand.turn_up(BOARD[len(hand.board) :][:count])
    return hand


def run_out(hand: BettingHand) -> BettingHand:
    """Check or call to the showdown."""
    while hand.stage in (Stage.BET, Stage.BOARD, Stage.EXCHANGE):
        if hand.stage is Stage.EXCHANGE:
            hand = hand.exchange()
        else:
            hand = after(hand, "board" if hand.stage is Stage.BOARD else "call")
    return hand


def shown(hand: BettingHand, **held: str) -> BettingHand:
    """Let all show these cards, as in p0="As Ad"."""
    while hand.queue:
        hand = hand.show(cards(held[f"p{hand.queue[0]}"]))
    return hand


@dataclass(frozen=True)
class Ruled:
    """A hand after a public ruling: who is to act, what a call costs, what may be raised to."""

    source: str
    hand: BettingHand
    steps: tuple[Step, ...]
    actor: int
    price: int
    least: int | None = None  # None: no raise is allowed
    most: int | None = None


RICH = (10_000,) * 6
FLOP = ("call",) * 6 + ("board",)
RULED = {
    "short big blind, 15 and 30": Ruled(
        "Robert's, no-limit rules 2; as in PokerStars hand 75726253875, with 20 in the big blind",
        holdem(30, (1500, 20, 1500)),
        (),
        actor=2,
        price=30,
        least=60,
        most=1500,
    ),
    "short big blind, small blind completes": Ruled(
        "Robert's, no-limit rules 2",
        holdem(40, (200, 5, 200)),
        ("call",),
        actor=0,
        price=20,
        least=80,
        most=200,
    ),
    "short bet after the flop": Ruled(
        "Robert's, no-limit rules 2: all in for 20 where 100 is the least bet",
        holdem(100, (10_000, 10_000, 120, 10_000)),
        ("call",) * 4 + ("board", "call", "call", 20),
        actor=3,
        price=20,
        least=120,
        most=9900,
    ),
    "short bet after a check": Ruled(
        "Robert's, no-limit rules 3: less than the least bet reopens nothing",
        holdem(100, (10_000, 10_000, 120, 10_000)),
        ("call",) * 4 + ("board", "call", "call", 20, "call"),
        actor=0,
        price=20,
    ),
    "no completing without a limit": Ruled(
        "Robert's, no-limit rules, on completing: 100, and 140 all in",
        holdem(100, (10_000, 10_000, 240, 10_000)),
        ("call",) * 4 + ("board", "call", 100, 140),
        actor=3,
        price=140,
        least=240,
        most=9900,
    ),
    "raise of who was not fully raised": Ruled(
        "Robert's, no-limit rules 3: 100, 200, less than 300 all in, a call",
        holdem(100, (10_000, 10_000, 380, 10_000)),
        ("call", "fold", "call", "call", "board", 100, 200, 280, "call"),
        actor=1,
        price=80,
    ),
    "raise of who was fully raised": Ruled(
        "Robert's, no-limit rules 3: the one who bet 100 could have raised",
        holdem(100, (10_000, 10_000, 380, 10_000)),
        ("call", "fold", "call", "call", "board", 100, 200, 280),
        actor=0,
        price=180,
        least=380,
        most=9900,
    ),
    "short raises that add up": Ruled(
        "TDA 47 A, example 1: blinds 50 and 100; 100, 125 all in, a call, 200 all in, a call",
        holdem(100, (10_000, 225, 10_000, 300, 10_000)),
        ("call",) * 5 + ("board", 100, 125, "call", 200, "call"),
        actor=0,
        price=100,
        least=300,
        most=9900,
    ),
    "short raises that do not add up for a caller": Ruled(
        "TDA 47 A, example 1: the one who called 125 faces 75",
        holdem(100, (10_000, 225, 10_000, 300, 10_000)),
        ("call",) * 5 + ("board", 100, 125, "call", 200, "call", "call"),
        actor=2,
        price=75,
    ),
    "short raise before the flop": Ruled(
        "TDA 47 A, example 2: 2000 and 4000; a call, 7500 all in, the big blind calls",
        holdem(4000, (50_000, 50_000, 50_000, 7500)),
        ("call", 7500, "fold", "call"),
        actor=2,
        price=3500,
    ),
    "short raise that the big blind raises": Ruled(
        "TDA 47 A, example 2: the big blind raises by 4000",
        holdem(4000, (50_000, 50_000, 50_000, 7500)),
        ("call", 7500, "fold", 11_500),
        actor=2,
        price=7500,
        least=15_500,
        most=50_000,
    ),
    "raise as large as the last": Ruled(
        "TDA 43 A: 100 and 200, a raise to 600",
        holdem(200, RICH),
        (600,),
        actor=3,
        price=600,
        least=1000,
        most=10_000,
    ),
    "half a bet at limit": Ruled(
        "Robert's, all-in, of limit poker: 15 all in where 20 is the bet",
        holdem(20, (500, 500, 35, 500), limit=Limit.FIXED),
        ("call",) * 4 + ("board", "call", "call", 15),
        actor=3,
        price=15,
        least=35,
        most=35,
    ),
    "less than half a bet at limit": Ruled(
        "Robert's, all-in, of limit poker: 8 all in where 20 is the bet is completed to 20",
        holdem(20, (500, 500, 28, 500), limit=Limit.FIXED),
        ("call",) * 4 + ("board", "call", "call", 8),
        actor=3,
        price=8,
        least=20,
        most=20,
    ),
    "less than half a bet after a check": Ruled(
        "TDA 47 B: half a bet at least opens again",
        holdem(20, (500, 500, 28, 500), limit=Limit.FIXED),
        ("call",) * 4 + ("board", "call", "call", 8, "call"),
        actor=0,
        price=8,
    ),
    "half a bet after a check": Ruled(
        "TDA 47 B",
        holdem(20, (500, 500, 30, 500), limit=Limit.FIXED),
        ("call",) * 4 + ("board", "call", "call", 10, "call"),
        actor=0,
        price=10,
        least=30,
        most=30,
    ),
    "cap of three raises": Ruled(
        "Robert's, betting and raising 3",
        holdem(20, (500, 500, 500), limit=Limit.FIXED),
        (40, 60, 80),
        actor=2,
        price=40,
    ),
    "raise of the pot": Ruled(
        "Robert's, pot limit: a pot of 100, a bet of 50, a total of 250",
        holdem(50, (1000, 1000), limit=Limit.POT),
        ("call", "call", "board", 50),
        actor=1,
        price=50,
        least=100,
        most=250,
    ),
    "first raise of the pot": Ruled(
        "TDA 54, illustration: blinds 50 and 100, the most is 350",
        holdem(100, RICH, limit=Limit.POT),
        (),
        actor=2,
        price=100,
        least=200,
        most=350,
    ),
    "option of the big blind": Ruled(
        "Robert's, button and blind use: a blind may raise when its turn comes",
        holdem(100, (1000, 1000, 1000)),
        ("call", "call"),
        actor=1,
        price=0,
        least=200,
        most=1000,
    ),
    "two players, before the flop": Ruled(
        "TDA 34 B: the button has the small blind and acts first",
        holdem(100, (1000, 1000)),
        (),
        actor=1,
        price=50,
        least=200,
        most=1000,
    ),
    "two players, after the flop": Ruled(
        "TDA 34 B",
        holdem(100, (1000, 1000)),
        ("call", "call", "board"),
        actor=0,
        price=0,
        least=100,
        most=900,
    ),
    "small blind of its own": Ruled(
        "chapter 18.1: blinds 1 and 10",
        holdem(10, (100, 100, 100), small=1),
        ("call",),
        actor=0,
        price=9,
        least=20,
        most=100,
    ),
}
