"""Poker between hands: a seat without chips may buy another stack, and the stakes rise."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Over
from protocol.games.poker import view
from protocol.games.poker.betting import Stakes
from protocol.games.poker.phases import PokerPhase
from protocol.games.poker.rules import DRAW, HOLDEM, Poker
from protocol.games.poker.state import PokerState
from tests.support.poker import poker, start, table
from tests.support.views import saying

REBUY, DECLINE = ("rebuy",), ("decline",)
SAY = saying()


def between(game: Poker, *stacks: int, **changes) -> PokerState:
    """Return a match whose first hand has ended with these stacks."""
    state = replace(start(game), phase=PokerPhase.REBUY, hand=1, stacks=stacks, **changes)
    return game._between_hands(state.without_hand())


def test_broke_seat_may_rebuy_and_continue() -> None:
    game = poker(HOLDEM, 3, rebuys=1)
    state = between(game, 0, 300, 300)
    assert game.wants(state) == Act((0,)) and game.legal(state, 0, ()) == (DECLINE, REBUY)
    assert game.legal(state, 1, ()) == () and game.check(state, 0, REBUY) == ()
    after = game.apply(state, 0, REBUY)
    assert (after.phase, after.stacks, after.bought, after.waiting) == (
        PokerPhase.DEAL,
        (200, 300, 300),
        (1, 0, 0),
        (),
    )
    assert set(after.players) == {0, 1, 2}


@pytest.mark.parametrize("how", ["decline", "lapse", "leave"])
def test_seat_declining_rebuy_is_out(how: str) -> None:
    game = poker(HOLDEM, 3, rebuys=2)
    state = between(game, 0, 300, 300)
    if how == "leave":
        after = game.forfeit(state, 0)
    else:
        action = DECLINE if how == "decline" else game.timeout(state, 0)
        after = game.apply(state, 0, action)
    assert (after.phase, after.bought) == (PokerPhase.DEAL, (0, 0, 0)) and 0 not in after.players
    again = game._between_hands(replace(after, phase=PokerPhase.REBUY, stacks=(0, 0, 600)))
    assert again.waiting == (1,)


def test_match_continues_while_a_rebuy_is_possible() -> None:
    game = poker(HOLDEM, 2, rebuys=1)
    state = between(game, 0, 400)
    assert game.wants(state) == Act((0,)) and game.winner(state) is None
    assert game.apply(state, 0, REBUY).phase is PokerPhase.DEAL
    over = game.apply(state, 0, DECLINE)
    assert game.wants(over) == Over() and game.winner(over) == 1
    assert between(game, 0, 400, bought=(1, 0)).phase is PokerPhase.OVER


def test_rebuy_is_not_offered_without_opponent() -> None:
    game = poker(HOLDEM, 3, rebuys=1)
    assert between(game, 0, 0, 600).waiting == (0, 1)
    assert between(game, 0, 600, 0, out=frozenset({1})).waiting == (0, 2)
    assert (
        between(game, 0, 600, 0, out=frozenset({1}), declined=frozenset({2})).phase
        is PokerPhase.OVER
    )
    left = game.forfeit(between(game, 0, 600, 0, bought=(0, 0, 1)), 1)
    assert left.phase is PokerPhase.OVER and game.winner(left) is None


def test_rebuy_is_refused_after_last_hand_or_with_chips() -> None:
    assert between(poker(HOLDEM, 2, rebuys=1, hands=1), 0, 400).phase is PokerPhase.OVER
    game = poker(HOLDEM, 3, rebuys=1)
    state = between(game, 0, 1, 599)
    with pytest.raises(Refused) as refusal:
        game.check(state, 1, REBUY)
    assert refusal.value.code is Code.NOT_YOUR_TURN
    with pytest.raises(Refused) as refusal:
        game.check(between(game, 1, 1, 598), 0, REBUY)
    assert refusal.value.code is Code.NOT_YOUR_TURN


def test_two_rebuy_offers_are_made_in_order() -> None:
    game = poker(HOLDEM, 3, rebuys=2)
    state = between(game, 0, 600, 0)
    offers = view.offers(game, state, 0, ())
    assert [SAY(offer.label) for offer in offers] == [
        "decline (no more chips: you are out)",
        "rebuy (another 200 chips, 2 times more)",
    ]
    assert SAY(view.narrate(game, state, 0, REBUY)) == "Ann buys 200 chips."
    state = game.apply(state, 0, REBUY)
    assert game.wants(state) == Act((2,))
    assert SAY(view.narrate(game, state, 2, DECLINE)) == "Cleo buys no more chips."
    assert [seat.bought for seat in view.standings(game, state)] == [1, 0, 0]


def test_stakes_double_per_level_up_to_the_stack() -> None:
    game = poker(HOLDEM, 2, levels=3, stack=17, blind=4, ante=1)
    stakes = [game.stakes_of(hand) for hand in (1, 3, 4, 6, 7, 10, 500)]
    assert [(each.ante, each.blind) for each in stakes] == [
        (1, 4),
        (1, 4),
        (2, 8),
        (2, 8),
        (4, 16),
        (4, 16),
        (4, 16),
    ]
    assert poker(DRAW, 2, levels=1, stack=8, ante=8).stakes_of(9) == Stakes(True, 8, 2)
    assert poker(HOLDEM, 2).stakes_of(500) == Stakes(False, 0, 2, 1)


def test_hand_is_played_and_announced_at_its_level_stakes() -> None:
    def caller(game, state, seat, hand, legal, rng):
        return ("call",) if ("call",) in legal else legal[0]

    match = table(poker(HOLDEM, 3, hands=3, levels=1), chooser=caller)
    seen, said = {}, []
    before = match.state
    for state in match.run():
        said += [SAY(told) for told in view.news(match.game, before, state)]
        if state.phase is PokerPhase.PLAY:
            seen[state.hand] = (
                (state.small_blind, state.stakes.blind),
                view.board(match.game, state).rises,
            )
        before = state
    assert seen == {1: ((1, 2), 2), 2: ((2, 4), 3), 3: ((4, 8), 0)}
    assert [line for line in said if "rise" in line] == [
        "The blinds rise to 2 and 4.",
        "The blinds rise to 4 and 8.",
    ]


def test_broke_seat_sitting_out_may_return_and_buy() -> None:
    game = poker(HOLDEM, 3, rebuys=1)
    state = between(game, 0, 300, 300, away=frozenset({0}))
    assert state.phase is PokerPhase.DEAL and 0 not in state.players, "nobody waits for it"
    assert game.sit_out_choice(state, 0) is False
    back = game.sit_out(state, 0, out=False)
    asked = game._between_hands(replace(back, phase=PokerPhase.REBUY, hand=2).without_hand())
    assert asked.waiting == (0,)


def test_seat_without_rebuys_left_cannot_return() -> None:
    game = poker(HOLDEM, 3, rebuys=1)
    state = between(game, 0, 300, 300, away=frozenset({0}), bought=(1, 0, 0))
    assert game.sit_out_choice(state, 0) is None
