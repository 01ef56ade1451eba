"""Betting, pots and showdown by the rules of card rooms.

`RULED` is a fixed sample of hands, written after public rulings and examples: the rules of the Poker
Tournament Directors Association (TDA, 2022, with its illustrations) and Robert's Rules of Poker
(version 11). Only numbers are taken from them. Players are named by their place after the button:
with blinds, 0 is the small blind and 1 the big blind.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest

from protocol.games.poker.betting import (
    BettingHand,
    Blinds,
    Limit,
    Stage,
    Stakes,
    begin_hand,
)
from protocol.games.poker.pots import Pot, make_pots, split_pot
from protocol.limits import MAX_POKER_RAISES
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


@pytest.mark.parametrize("name", RULED)
def test_hand_after_public_ruling_is_played_as_ruled(name: str) -> None:
    ruled = RULED[name]
    hand = after(ruled.hand, *ruled.steps)
    assert hand.actor == ruled.actor and hand.stage is Stage.BET
    assert hand.price(ruled.actor) == ruled.price
    amounts = hand.raise_amounts()
    if ruled.least is None:
        assert amounts == range(0)
    else:
        assert (amounts[0], amounts[-1]) == (ruled.least, ruled.most)


# --- who is asked ---


def test_small_blind_is_not_asked_against_short_big_blind_alone() -> None:
    """Table stakes: what nobody can match goes back (people.md 1; chapter 18.10.2)."""
    hand = after(holdem(40, (200, 5, 200)), "fold")
    assert hand.stage is Stage.BOARD and hand.uncalled == ((0, 15),)
    assert hand.pots == (Pot(10, (0, 1)),)


def test_short_big_blind_makes_side_pot_of_callers() -> None:
    hand = after(holdem(40, (200, 5, 200)), "call", "call")
    assert hand.stage is Stage.BOARD
    assert hand.pots == (Pot(15, (0, 1, 2)), Pot(70, (0, 2)))


def test_price_is_what_the_others_can_reach() -> None:
    """The big blind has 20 of 40, the button 25 in all: the small blind pays up to 25."""
    hand = after(holdem(40, (200, 20, 25)), "call")
    assert (hand.actor, hand.price(0), hand.raise_amounts()) == (0, 5, range(0))
    assert after(hand, "call").stage is Stage.BOARD


def test_raise_beyond_all_others_is_not_offered() -> None:
    """The others are all in with 50 and 80, so nobody could call (chapter 18.10.4 b)."""
    hand = after(holdem(20, (80, 500, 50)), 50, 80)
    assert (hand.actor, hand.price(1), hand.raise_amounts()) == (1, 60, range(0))


def test_blinds_all_in_are_not_asked() -> None:
    hand = holdem(2, (1, 2, 2))
    assert hand.actor == 2 and after(hand, "call").stage is Stage.BOARD


def test_player_after_short_big_blind_begins() -> None:
    """TDA 33: places of the blinds decide, even if the small blind is larger."""
    assert holdem(40, (200, 5, 200, 200)).actor == 2


def test_fold_for_free_is_an_option() -> None:
    checked = ("call", "call", "call", "board")
    assert not after(holdem(10, (100,) * 3), *checked).may_fold()
    free = after(holdem(10, (100,) * 3, free_folds=True), *checked)
    assert free.may_fold() and not free.fold().live[0]
    assert free.fold().fold().stage is Stage.OVER


def test_street_ends_after_forty_raises() -> None:
    hand = holdem(2, (10_000, 10_000))
    while len(hand.raise_amounts()) > 1:
        hand = hand.raise_to(hand.raise_amounts()[0])
    assert hand.raises == MAX_POKER_RAISES
    assert hand.raise_amounts() == range(10_000, 10_001)
    pot = holdem(2, (10_000, 10_000), limit=Limit.POT)
    while len(pot.raise_amounts()) > 1:
        pot = pot.raise_to(pot.raise_amounts()[0])
    assert pot.raises == MAX_POKER_RAISES and pot.raise_amounts() == range(0)


# --- pots ---


def test_odd_chips_go_one_by_one_after_the_button() -> None:
    """TDA 20; Robert's, ties 4: 14 among three is 5, 5, 4."""
    assert split_pot(14, (0, 1, 2)) == ((0, 5), (1, 5), (2, 4))
    hand = run_out(after(holdem(4, (9, 9, 9, 9), small=2), "fold", "call", "call", "call"))
    hand = shown(hand, p0="As Kd", p1="Ad Kh", p3="Ah Ks")
    assert hand.pot_shares() == (((0, 4), (1, 4), (3, 4)),)
    assert split_pot(1, (2, 3)) == ((2, 1),)


def test_each_side_pot_is_split_by_itself() -> None:
    """TDA 21; Robert's, ties 5: pots of 17 and 13 that two share are 16 and 14."""
    hand = holdem(2, (100, 100, 100, 4, 100))
    hand = after(hand, 5, "call", 10, "fold", "call", "fold")
    assert hand.pots == (Pot(17, (1, 3, 4)), Pot(13, (1, 4)))
    hand = shown(run_out(hand), p1="As Kd", p3="4c 5d", p4="Ad Kh")
    assert hand.pot_shares() == (((1, 9), (4, 8)), ((1, 7), (4, 6)))


@pytest.mark.parametrize("seed", range(50))
def test_pots_equal_a_count_chip_by_chip(seed: int) -> None:
    """Each chip of a player goes to the pot of those who have paid as many chips."""
    rng = Random(seed)
    count = rng.randint(2, 6)
    paid = [rng.randint(0, 6) for _ in range(count)]
    live = sorted(rng.sample(range(count), rng.randint(1, count)))
    pots = make_pots(paid, live)
    expected: dict[tuple[int, ...], int] = {}
    able = tuple(live)
    for chip in range(1, max(paid) + 1):
        able = tuple(player for player in live if paid[player] >= chip) or able
        expected[able] = expected.get(able, 0) + sum(chips >= chip for chips in paid)
    assert {pot.players: pot.chips for pot in pots} == {k: v for k, v in expected.items() if v}
    assert all(set(one.players) > set(two.players) for one, two in pairwise(pots))


# --- the showdown ---


def test_last_to_bet_or_raise_shows_first() -> None:
    """TDA 17 A: the last aggressive action of the last street."""
    hand = after(
        holdem(10, (100,) * 3), "call", "call", "call", "board", "call", 10, "call", "call"
    )
    hand = after(hand, "board", "call", "call", "call", "board", "call", "call", 20, "call", "call")
    assert hand.stage is Stage.SHOW and hand.queue == (2, 0, 1)


def test_first_to_act_shows_first_if_nobody_bet() -> None:
    """TDA 17 A: of the last street, though others bet before."""
    hand = run_out(after(holdem(10, (100,) * 3), "call", 30, "call", "call"))
    assert hand.queue == (0, 1, 2) and not hand.all_show


def test_all_show_if_one_is_all_in() -> None:
    """TDA 16: also those who bet on beside the all-in."""
    hand = after(holdem(10, (100, 100, 30)), 30, "call", "call", "board", 20, "call")
    assert run_out(hand).all_show


def test_side_pot_of_players_who_muck_is_the_last_ones() -> None:
    """Players who have left muck, though all should show (chapter 18.4.4)."""
    hand = run_out(after(holdem(10, (100, 100, 30)), 30, "call", "call", "board", 20, "call"))
    assert hand.queue == (0, 1, 2)
    hand = hand.muck().muck()
    assert hand.shares_of_last(2) == (((2, 90),), ((1, 40),))
    assert hand.show(cards("As Ad")).pot_shares() == (((2, 90),), ((1, 40),))


def test_draw_has_antes_and_no_first_bet() -> None:
    hand = draw(10, (100, 5, 100), ante=5)
    assert (hand.actor, hand.price(0), hand.raise_amounts()[0]) == (0, 0, 10)
    hand = after(hand, "call", "call")
    assert hand.stage is Stage.EXCHANGE and hand.queue == (0, 1, 2)


def test_unmatched_ante_goes_back() -> None:
    hand = draw(10, (100, 3), ante=5)
    assert hand.uncalled == ((0, 2),) and hand.stage is Stage.EXCHANGE
    assert hand.pots == (Pot(6, (0, 1)),)
