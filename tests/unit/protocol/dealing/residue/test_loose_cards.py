"""Loose cards of a residue deal: the work for a look, and who can read a card afterwards."""

from random import Random

import pytest

from protocol.dealing.residue.loose_cards import (
    look_work,
    record_bits,
    record_readers,
    reset_readers,
)
from protocol.dealing.residue.state import BitWork, ResidueState, ShuffleWork
from protocol.games.operations import Pile
from tests.support.residue import SMALL
from tests.support.verified import context

NOBODY: frozenset[int] = frozenset()


def loose(**changes: object) -> ResidueState:
    """Three seats, four loose cards that all have shuffled, and two cards of a stock."""
    made, _ = context(3, [Pile(4, loose=True), Pile(2)], Random(1), SMALL)
    return ResidueState(made, 0, hidden=frozenset(range(6)), **changes)


def seats(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def bits(*requested: tuple[int, frozenset[int]]) -> BitWork:
    return BitWork(requested)


def alone(card: int, seat: int) -> ShuffleWork:
    return ShuffleWork((card,), (seat,), (seat,))


@pytest.mark.parametrize(
    ("state", "cards", "looking", "work"),
    [
        (loose(), (0, 1), seats(1), [bits((0, seats(1)), (1, seats(1)))]),
        # each later seat shuffles the card first, or everybody could read it
        (loose(), (0,), seats(0, 2), [bits((0, seats(0))), alone(0, 2), bits((0, seats(2)))]),
        # a seat that posted its bits before hides the card from the others again
        (
            loose(given_bits={0: seats(1)}),
            (0, 1),
            seats(1),
            [alone(0, 1), bits((0, seats(1)), (1, seats(1)))],
        ),
        # the last seat that cannot read a card makes it public
        (loose(card_readers={0: seats(0, 1)}), (0,), seats(2), [bits((0, NOBODY))]),
        (loose(), (0,), seats(0, 1, 2), [bits((0, NOBODY))]),
        # nothing new to read
        (loose(card_readers={0: seats(1)}), (0,), seats(1), []),
        (loose(shown={0: 2}), (0,), seats(1), []),
        (loose(), (0,), seats(7), []),
    ],
)
def test_look_asks_for_the_least_work(state, cards, looking, work):
    assert list(look_work(state, cards, looking)) == work


def test_posted_bits_are_recorded_for_loose_cards_alone():
    state = record_bits(loose(given_bits={0: seats(1)}), 2, (0, 1, 4))
    assert state.given_bits == {0: seats(1, 2), 1: seats(2)}


def test_complete_telling_makes_its_seats_readers():
    asked = bits((0, seats(1)), (1, NOBODY), (4, seats(2)))
    state = record_readers(loose(pending_work=(asked,), card_readers={0: seats(0)}))
    assert state.card_readers == {0: seats(0, 1)}
    assert state.holders == {0: 1}


@pytest.mark.parametrize(
    ("shuffling", "readers", "given"),
    [
        # after a shuffle by all nobody knows where a card is, and no bits belong to it
        (ShuffleWork((0, 1), (), ()), {}, {0: NOBODY, 1: NOBODY}),
        # one seat alone may have put either card into either place
        (ShuffleWork((0, 1), (), (2,)), {}, {0: seats(0, 1), 1: seats(0, 1)}),
        # a single card stays where it is
        (ShuffleWork((0,), (), (2,)), {0: seats(2)}, {0: seats(0), 1: seats(1)}),
        (ShuffleWork((4, 5), (), ()), {0: seats(2)}, {0: seats(0), 1: seats(1)}),
    ],
)
def test_shuffle_forgets_readers_and_keeps_bits_that_may_fit(shuffling, readers, given):
    before = loose(
        card_readers={0: seats(2)}, given_bits={0: seats(0), 1: seats(1)}, holders={0: 2, 3: 1}
    )
    state = reset_readers(before, shuffling)
    assert (state.card_readers, state.given_bits) == (readers, given)
    assert state.holders == ({3: 1} if 0 in shuffling.cards else {0: 2, 3: 1})
