"""Button and blinds from hand to hand."""

from dataclasses import replace
from random import Random

import pytest

from protocol.games.poker.button import ButtonRule, Places, first_places, next_places, play_order
from protocol.games.poker.phases import PokerPhase
from protocol.games.poker.rules import HOLDEM
from tests.support.poker import poker, start, table

MOVING, DEAD = ButtonRule.MOVING, ButtonRule.DEAD


def test_nobody_has_the_big_blind_twice_when_three_become_two() -> None:
    """TDA 34 B. The button of three loses; the seat with the big blind gets the button."""
    three = Places(0, 1, 2)
    assert next_places((1, 2), three, MOVING, blinds=True) == Places(2, 2, 1)
    assert next_places((1, 2), three, DEAD, blinds=True) == Places(2, 2, 1)


@pytest.mark.parametrize(("able", "places"), [((0, 2), Places(2, 2, 0)), ((0, 1), Places(1, 1, 0))])
def test_button_of_two_moves_for_another_big_blind(able, places) -> None:
    assert next_places(able, Places(0, 1, 2), MOVING, blinds=True) == places


def test_two_players_take_the_big_blind_in_turns() -> None:
    """TDA 34 A: the button has the small blind."""
    for rule in ButtonRule:
        places, seen = first_places(0), []
        for _ in range(4):
            places = next_places((0, 1), places, rule, blinds=True)
            assert places.button == places.small != places.big
            seen.append(places.big)
        assert seen == [1, 0, 1, 0]


def test_dead_button_lets_nobody_miss_or_repeat_a_big_blind() -> None:
    """TDA 32. The small blind of 0-1-2-3 loses: the button is dead, at its seat."""
    able = (0, 2, 3)
    after = next_places(able, Places(0, 1, 2), DEAD, blinds=True)
    assert after == Places(1, 2, 3)
    assert play_order(able, after.button) == (2, 3, 0)
    assert next_places(able, after, DEAD, blinds=True) == Places(2, 3, 0)


def test_dead_small_blind_is_posted_by_nobody() -> None:
    """TDA 32. The big blind of 0-1-2-3 loses: in the next hand the small blind is at its seat."""
    after = next_places((0, 1, 3), Places(0, 1, 2), DEAD, blinds=True)
    assert after == Places(1, 2, 3)
    game = poker(HOLDEM, 4, button="dead", blind=10)
    state = replace(
        start(game),
        phase=PokerPhase.REBUY,
        hand=1,
        stacks=(200, 200, 0, 400),
        places=Places(0, 1, 2),
    )
    state = game.after_deal(game._next_hand(state), ())
    assert state.players == (3, 0, 1) and state.running.bets == (10, 0, 0)
    assert state.to_act == 0 and state.running.price(1) == 10


def test_moving_button_skips_seats_that_drop_out() -> None:
    assert next_places((0, 2, 3), Places(0, 1, 2), MOVING, blinds=True) == Places(2, 3, 0)


@pytest.mark.parametrize("seed", range(20))
def test_dead_button_gives_each_seat_its_big_blinds_in_order(seed: int) -> None:
    """While seats drop out at random, the big blind goes around without a gap."""
    rng = Random(seed)
    able = list(range(8))
    places = first_places(rng.randrange(8))
    before = None
    while len(able) > 1:
        places = next_places(able, places, DEAD, blinds=True)
        if before is not None:
            later = [seat for seat in able if seat > before] or able
            assert places.big == later[0]
        before = places.big
        if rng.random() < 0.4:
            able.remove(rng.choice(able))


def test_seat_that_leaves_before_the_cards_moves_button_and_blinds() -> None:
    game = poker(HOLDEM, 4, hands=3)
    state = replace(
        start(game), phase=PokerPhase.REBUY, hand=1, stacks=(200,) * 4, places=Places(0, 1, 2)
    )
    state = game._next_hand(state)
    assert state.places == Places(1, 2, 3)
    left = game.forfeit(state, 1)
    assert (left.places, left.players) == (Places(2, 3, 0), (3, 0, 2))
    assert game.forfeit(game.forfeit(left, 3), 0).phase is PokerPhase.OVER


@pytest.mark.match
@pytest.mark.parametrize("rule", ["moving", "dead"])
def test_match_with_own_small_blind_keeps_every_chip(rule: str) -> None:
    for seed in range(8):
        game = poker(HOLDEM, 5, hands=20, stack=60, blind=10, small=3, button=rule, folds="free")
        match = table(game, seed)
        for state in match.run():
            assert sum(state.chips) + state.pot == 300
            if state.phase is PokerPhase.PLAY and len(state.players) == 2:
                assert state.places.button == state.places.small
