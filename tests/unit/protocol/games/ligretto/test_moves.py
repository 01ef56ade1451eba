"""Effects of single actions of Ligretto on a small table."""

from dataclasses import replace

import pytest

from protocol.games.ligretto.moves import (
    DEADLOCK_FLIPS,
    DRY_FLIPS,
    discards_after_flip,
    flip,
    lay,
    may_flip,
    next_top,
    resolve_deadlock,
    rotate_hands,
)
from protocol.games.ligretto.state import LigrettoPhase, LigrettoState, SeatCards, SharedPile
from protocol.limits import LIGRETTO_TAKE_UPS

RED_1, RED_2, RED_3, BLUE_7, GREEN_9 = 0, 1, 2, 36, 28
HAND = (BLUE_7, RED_1, RED_3, -14, -15)


def table(own: SeatCards, **changes: object) -> LigrettoState:
    """Seat 0 has these cards, and seat 1 has nothing that fits."""
    other = SeatCards((40 + BLUE_7,), 5, (40 + GREEN_9,), 1)
    state = LigrettoState(LigrettoPhase.PLAY, 1, (0, 0), (own, other), dry=(1, 1), actions=4)
    return replace(state, **changes)


def test_lay_from_row_takes_next_card_of_stock():
    state = lay(table(SeatCards((RED_1, BLUE_7), 2, HAND, 3), turned=(GREEN_9,)), 0, ("open", 0), 2)
    assert state.seats[0] == SeatCards((GREEN_9, BLUE_7), 1, HAND, 3, laid=1)
    assert state.piles == (SharedPile((RED_1,), (4,)),)
    assert (state.dry, state.actions, state.turned) == ((0, 0), 5, ())
    assert state.phase is LigrettoPhase.PLAY and state.ended is None


def test_last_card_of_the_stock_ends_the_round():
    state = lay(table(SeatCards((RED_1,), 1, HAND, 3), turned=(GREEN_9,)), 0, ("open", 0), 1)
    assert state.phase is LigrettoPhase.SCORE
    assert (state.stopped, state.ended, state.dry) == (0, 4, (1, 1))


def test_lay_on_a_pile_extends_this_pile_alone():
    piles = (SharedPile((40,), (0,)), SharedPile((RED_1, 41), (1, 2)))
    own = SeatCards((BLUE_7,), 3, HAND, 3)
    state = lay(table(own, piles=piles), 0, ("lay", 1, 1), 1)
    assert state.piles == (piles[0], SharedPile((RED_1, 41, RED_3), (1, 2, 4)))
    assert state.seats[0] == SeatCards((BLUE_7,), 3, (BLUE_7, RED_1, -14, -15), 2, laid=1)


def test_lay_of_the_top_shows_the_card_below():
    own = SeatCards((BLUE_7,), 3, (-11, -12, RED_3, -14), 3)
    assert next_top(own) == 1
    state = lay(
        table(own, turned=(RED_2,), piles=(SharedPile((40, 41), (0, 1)),)), 0, ("lay", 1, 0), 1
    )
    assert state.seats[0].hand == (-11, RED_2, -14) and state.seats[0].top == RED_2


@pytest.mark.parametrize(
    ("hand", "mark", "place"),
    [((-11, RED_3), 2, 0), ((RED_1, RED_3), 2, None), ((RED_1, -12), 1, None), ((-11,), 0, None)],
)
def test_next_top_is_a_place_nobody_has_seen(hand, mark, place):
    assert next_top(SeatCards((), 1, hand, mark)) == place


@pytest.mark.parametrize(
    ("mark", "size", "after"), [(0, 7, 3), (3, 7, 6), (6, 7, 7), (7, 7, 3), (2, 2, 2), (1, 4, 4)]
)
def test_flip_turns_three_cards_or_the_rest(mark, size, after):
    assert discards_after_flip(SeatCards((), 1, (0,) * size, mark)) == after


def test_flip_puts_the_turned_card_on_top():
    own = SeatCards((BLUE_7,), 3, (-11, -12, -13, -14), 0)
    state = flip(table(own, turned=(RED_3,)), 0)
    assert state.seats[0] == SeatCards((BLUE_7,), 3, (-11, -12, RED_3, -14), 3)
    assert (state.dry, state.actions, state.turned) == ((1, 1), 5, ())


def test_flip_of_a_hand_gone_through_counts_as_dry():
    state = flip(table(SeatCards((BLUE_7,), 3, HAND, len(HAND)), dry=(0, 0)), 0)
    assert state.dry == (1, 0) and state.seats[0].mark == 3
    assert state.phase is LigrettoPhase.PLAY


def test_seat_may_flip_until_it_took_up_too_often():
    state = table(SeatCards((BLUE_7,), 3, HAND), dry=(LIGRETTO_TAKE_UPS - 1, 0))
    assert may_flip(state, 0)
    assert not may_flip(replace(state, dry=(LIGRETTO_TAKE_UPS, 0)), 0)
    assert not may_flip(table(SeatCards((BLUE_7,), 3)), 0)


@pytest.mark.parametrize(
    ("row", "dry", "phase"),
    [
        (BLUE_7, (DRY_FLIPS, DRY_FLIPS), LigrettoPhase.RESCUE),
        (BLUE_7, (DRY_FLIPS, DRY_FLIPS - 1), LigrettoPhase.PLAY),
        # a card that fits, until nobody wants to lay it
        (RED_1, (DRY_FLIPS, DRY_FLIPS), LigrettoPhase.PLAY),
        (RED_1, (DEADLOCK_FLIPS, DEADLOCK_FLIPS - 1), LigrettoPhase.PLAY),
        (RED_1, (DEADLOCK_FLIPS, DEADLOCK_FLIPS), LigrettoPhase.RESCUE),
    ],
)
def test_deadlock_needs_all_hands_gone_through(row, dry, phase):
    state = resolve_deadlock(table(SeatCards((row,), 3, (BLUE_7,), 1), dry=dry), 9)
    assert (state.phase, state.ended) == (phase, 9 if phase is LigrettoPhase.RESCUE else None)


def test_deadlock_does_not_wait_for_a_leaver():
    state = table(SeatCards((BLUE_7,), 3, (BLUE_7,), 1), dry=(DRY_FLIPS, 0), out=frozenset({1}))
    assert resolve_deadlock(state, 9).phase is LigrettoPhase.RESCUE


def test_rescue_moves_first_card_of_each_hand_to_end():
    state = rotate_hands(table(SeatCards((BLUE_7,), 3, HAND, 3), ended=3), 2)
    assert state.seats[0].hand == (*HAND[1:], HAND[0]) and state.seats[0].mark == 0
    assert (state.phase, state.dry, state.rescues) == (LigrettoPhase.PLAY, (0, 0), 1)
    assert state.ended is None


@pytest.mark.parametrize(
    ("hand", "rescues", "out"), [(HAND, 2, set()), ((), 0, {1})], ids=["too many", "no hand"]
)
def test_rescue_that_is_not_possible_ends_the_round(hand, rescues, out):
    own = SeatCards((BLUE_7,), 3, hand)
    state = rotate_hands(table(own, rescues=rescues, out=frozenset(out)), 2)
    assert state.phase is LigrettoPhase.SCORE and state.seats[0] == own
