"""A seat of the match that is not dealt to: it owes nothing in the deal, and can do nothing to it."""

from dataclasses import replace
from random import Random

import pytest

from protocol.codes import Code
from protocol.dealing import Dealing, DealState, Post
from protocol.dealing.commutative import EDITION_1
from protocol.dealing.registry import DEALINGS
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import LookAt, Pile
from tests.support.verified import context

OUT = 1  # the seat that is not dealt to
PRESENT = (0, 2, 3)
HANDS = (Pile(12, 2),)
DECKS = tuple(Pile(4, owner=seat, loose=True) for seat in PRESENT)


def run(
    dealing: Dealing, piles: tuple[Pile, ...], options: dict[str, int | str]
) -> list[tuple[DealState, int, Post]]:
    """Deal among `PRESENT`, and close. Return each state with the entry that was posted in it."""
    rng = Random(1)
    made, keys = context(4, piles, rng, options)
    made = replace(made, present=PRESENT)
    state = dealing.begin(made, 0)
    halves = {seat: dealing.seat_half(made, seat, keys[seat], rng) for seat in PRESENT}
    steps = []

    def post_all(state: DealState) -> DealState:
        while True:
            posts = [(seat, halves[seat].next_post(state)) for seat in PRESENT]
            seat, post = next((each for each in posts if each[1] is not None), (OUT, None))
            if post is None:
                return state
            steps.append((state, seat, post))
            state = dealing.apply(state, seat, post.kind, post.body, len(steps))

    state = post_all(state)
    if piles is DECKS:
        looks = [LookAt((made.pile_cards(0)[0],), (PRESENT[0],))]
        state = dealing.apply_operations(state, -1, looks, [[]], len(steps))
        state = post_all(state)
    assert state.ready
    steps.append((state, PRESENT[0], Post("", [])))
    state = post_all(dealing.close(state, None, len(steps)))
    assert state.result is not None and not state.result.faults
    return [*steps, (state, PRESENT[0], Post("", []))]


CASES = [
    ("verified", HANDS, {}),
    ("verified", HANDS, {"leavers": "threshold"}),
    ("commutative", HANDS, {}),
    ("residue", HANDS, {}),
    ("seeded", DECKS, {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "piles", "options"), CASES)
def test_seat_without_part_owes_nothing_and_cannot_protest(name, piles, options):
    dealing = DEALINGS[name]
    for state, _, _ in run(dealing, piles, options):
        assert OUT not in {duty.author for duty in state.duties()}
        with pytest.raises(Refused) as refusal:
            dealing.protest(state, OUT, 1000)
        assert refusal.value.code is (Code.BAD_ENTRY if name == "commutative" else Code.NOT_NOW)


def test_every_dealing_is_tried_or_deals_to_all():
    assert {name for name, _, _ in CASES} | {"layered", "none"} == set(DEALINGS)


def test_layered_deals_to_every_seat_of_the_match():
    """So a protest is always that of a seat with a part."""
    made, _ = context(3, HANDS, Random(1))
    assert DEALINGS["layered"].begin(replace(made, present=(0, 2)), 0).seat_count == 3


@pytest.mark.slow
def test_earlier_commutative_edition_lets_any_seat_protest():
    (state, *_), *_ = [each for each in run(EDITION_1, HANDS, {}) if each[0].ready]
    after = EDITION_1.protest(state, OUT, 1000)
    assert (after.stage, after.protest.seat) == ("open", OUT)


@pytest.mark.slow
@pytest.mark.parametrize("named", [OUT, 4])
def test_seat_without_part_cannot_be_accused(named):
    dealing = DEALINGS["verified"]
    steps = run(dealing, HANDS, {"leavers": "threshold"})
    state, seat = next((state, seat) for state, seat, post in steps if post.kind == "confirm")
    with pytest.raises(ProtocolViolation) as lie:
        dealing.apply(state, seat, "confirm", [[named]], 1000)
    assert lie.value.code is Code.BAD_ENTRY
