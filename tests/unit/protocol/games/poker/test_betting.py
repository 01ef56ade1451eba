"""Betting, pots and showdown by the rules of card rooms."""

from itertools import pairwise
from random import Random

import pytest

from protocol.games.poker.betting import Limit, Stage
from protocol.games.poker.pots import Pot, make_pots, split_pot
from protocol.limits import MAX_POKER_RAISES
from tests.support.poker import cards
from tests.support.poker_rulings import RULED, after, draw, holdem, run_out, shown


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
