"""Transitions of a seeded deal: what is refused, what names an author, and what a leaver loses."""

import pytest

from protocol.codes import Code
from protocol.dealing import DealLoss
from protocol.dealing.seeded import fold
from protocol.dealing.seeded.stages import SeededStage
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games.operations import (
    Look,
    LookAt,
    OpenCard,
    RevealCards,
    ShuffleCards,
)
from protocol.limits import MAX_SEEDED_STEPS
from tests.support.seeded import SeededDeal, seeded_deal

# two seats with four cards each: 0 to 3 and 4 to 7
OWN = (0, 1, 2, 3)


def deal_of_four(*hidden: int) -> SeededDeal:
    deal = seeded_deal(2, 4)
    return deal.hide(*hidden) if hidden else deal


def code_of(deal: SeededDeal, seat: int, operation, part=()) -> tuple[type, Code]:
    """Return how an operation is refused, and with which code."""
    with pytest.raises((Refused, ProtocolViolation)) as raised:
        fold.apply_operation(deal.state, seat, operation, list(part), deal.at)
    return type(raised.value), raised.value.code


@pytest.mark.parametrize(
    ("operation", "part", "code"),
    [
        (ShuffleCards((0, 4), None), [], Code.NOT_NOW),
        (ShuffleCards((0, 99), None), [], Code.NOT_HELD),
        (ShuffleCards((0, 1), None), [1], Code.BAD_ENTRY),
        (LookAt((0,), (0, 1)), [], Code.NOT_NOW),
        (LookAt((0,), (1,)), [], Code.NOT_NOW),
        (RevealCards((99,)), [], Code.NOT_HELD),
        (Look(1, 0), [], Code.NOT_NOW),
    ],
)
def test_operation_on_wrong_cards_is_refused(operation, part, code):
    assert code_of(deal_of_four(*OWN), 0, operation, part) == (Refused, code)


def test_look_at_public_cards_of_others_needs_no_draw():
    deal = deal_of_four(*OWN)
    after = fold.apply_operation(deal.state, 0, LookAt((4, 5), (0,)), [], deal.at)
    assert after.ready and after.draws == 0


@pytest.mark.parametrize(
    ("change", "operation", "part", "code"),
    [
        # drawn by seat 0, so only seat 0 can open it
        ({"seat": 1}, lambda piece: OpenCard(0, piece), [2], Code.NOT_HELD),
        # still hidden from its owner
        ({}, lambda piece: OpenCard(1, piece), [2], Code.NOT_HELD),
        # opened before its author saw the last shuffle
        ({}, lambda piece: OpenCard(0, piece), [0], Code.STALE),
        ({}, lambda piece: OpenCard(0, piece), [], Code.BAD_ENTRY),
        ({}, lambda piece: OpenCard(99, piece), [2], Code.NOT_HELD),
        # public all the time, as another piece
        ({}, lambda piece: OpenCard(4, 5), [], Code.STALE),
        ({}, lambda piece: OpenCard(4, 4), [1], Code.STALE),
    ],
)
def test_opening_that_others_may_have_overtaken_is_refused(change, operation, part, code):
    deal = deal_of_four(*OWN)
    (piece,) = deal.draw(0, 0)
    seat = change.get("seat", 0)
    assert code_of(deal, seat, operation(piece), part) == (Refused, code)


def test_opening_of_a_public_card_as_itself_changes_nothing():
    deal = deal_of_four(*OWN)
    assert fold.apply_operation(deal.state, 0, OpenCard(4, 4), [], deal.at) == deal.state


@pytest.mark.parametrize("piece", [4, 99])
def test_claim_of_a_piece_of_another_deck_names_its_author(piece):
    deal = deal_of_four(*OWN)
    deal.draw(0, 0)
    part = [deal.state.sealed[0] + 1]
    found = code_of(deal, 0, OpenCard(0, piece), part)
    assert found == (ProtocolViolation, Code.BAD_OPENING)


def test_claim_of_a_piece_that_is_public_names_its_author():
    deal = deal_of_four(0, 1, 2)
    deal.draw(0, 0)
    found = code_of(deal, 0, OpenCard(0, 3), [deal.state.sealed[0] + 1])
    assert found == (ProtocolViolation, Code.BAD_OPENING)


def test_steps_beyond_the_bound_are_refused():
    deal = deal_of_four(*OWN)
    full = replace(deal.state, steps=deal.state.steps[:1] * MAX_SEEDED_STEPS)
    with pytest.raises(Refused) as raised:
        fold.apply_operation(full, 0, ShuffleCards(OWN, None), [], deal.at)
    assert raised.value.code is Code.TOO_MANY
    almost = replace(full, steps=full.steps[1:])
    assert fold.apply_operation(almost, 0, ShuffleCards(OWN, None), [], deal.at).ready


def revealing(*cards: int) -> SeededDeal:
    """Return a deal in which owners have to show cards."""
    deal = deal_of_four(*OWN)
    deal.want(RevealCards(cards), until=SeededStage.SHOW)
    assert deal.state.stage is SeededStage.SHOW
    return deal


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([0], Code.BAD_LIST),
        ([0, 1, 2], Code.BAD_LIST),
        ([0, 0], Code.BAD_OPENING),
        ([0, 4], Code.BAD_OPENING),
    ],
)
def test_list_of_shown_pieces_that_cannot_be_names_its_author(pieces, code):
    deal = revealing(0, 1)
    with pytest.raises(ProtocolViolation) as raised:
        fold.apply(deal.state, 0, "show", [pieces], deal.at)
    assert raised.value.code is code


def test_last_owner_who_shows_ends_the_stage():
    deal = revealing(0, 1)
    after = fold.apply(deal.state, 0, "show", [[2, 3]], deal.at)
    assert after.ready and after.duties_since == deal.at
    assert (after.public_faces[0], after.public_faces[1]) == (2, 3)


def test_gives_of_one_entry_serve_all_its_draws():
    deal = deal_of_four(*OWN)
    state = fold.apply_operation(deal.state, 0, LookAt((0,), (0,)), [], 50)
    same = fold.apply_operation(state, 0, LookAt((1,), (0,)), [], 50)
    later = fold.apply_operation(state, 0, LookAt((1,), (0,)), [], 51)
    assert (len(same.gives), len(later.gives)) == (1, 2)


@pytest.mark.parametrize("changed", [0, 1], ids=["seed", "salt"])
def test_opened_seed_that_was_not_committed_names_its_author(changed):
    deal = deal_of_four(*OWN)
    deal.apply(fold.close(deal.state, (), deal.at))
    post = deal.seats[0].next_post(deal.state)
    assert post is not None and deal.state.stage is SeededStage.OPEN
    body = list(post.body)
    body[changed] = bytes(len(body[changed]))
    with pytest.raises(ProtocolViolation) as raised:
        fold.apply(deal.state, 0, "open_seed", body, deal.at)
    assert raised.value.code is Code.BAD_SEED
    assert 0 in fold.apply(deal.state, 0, "open_seed", post.body, deal.at).seeds


def test_deal_is_dropped_when_a_seat_leaves_before_its_commitment():
    deal = deal_of_four()
    early = replace(deal.state, stage=SeededStage.COMMIT)
    assert fold.leave(early, 0, 3) is DealLoss.DROPPED
    closed = replace(deal.state, stage=SeededStage.CLOSED)
    assert fold.leave(closed, 0, 3) is DealLoss.DROPPED


def test_deal_is_stuck_if_leaver_owes_others_a_card():
    deal = seeded_deal(3, 4).hide(*OWN)
    deal.want(RevealCards((0,)), until=SeededStage.SHOW)
    after = fold.leave(deal.state, 0, deal.at)
    assert after.is_stuck and after.ready and 0 not in after.shown
    other = fold.leave(deal.state, 1, deal.at)
    assert not other.is_stuck and other.stage is SeededStage.SHOW


def test_deal_goes_on_if_a_leaver_owed_only_a_give():
    deal = seeded_deal(3, 4).hide(*OWN)
    deal.want(LookAt((0,), (0,)), until=SeededStage.GIVE)
    assert {seat for seat, _ in deal.state.duties()} == {1, 2}
    state = fold.leave(deal.state, 1, deal.at)
    assert {seat for seat, _ in state.duties()} == {2} and not state.is_stuck


def test_wanted_card_of_a_leaver_leaves_the_deal_stuck():
    deal = seeded_deal(3, 4).hide(*OWN)
    state = fold.leave(deal.state, 0, deal.at)
    assert not state.is_stuck
    assert fold.apply_operation(state, 1, RevealCards((0,)), [], deal.at + 1).is_stuck
    assert not fold.apply_operation(state, 1, RevealCards((4,)), [], deal.at + 1).is_stuck
