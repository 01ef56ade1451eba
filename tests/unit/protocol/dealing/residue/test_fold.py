"""Transitions of a residue deal: what is refused, what names an author, and the queue of work."""

import pytest

from protocol.codes import Code
from protocol.crypto.residue.bit_proof import proof_size
from protocol.dealing import DealLoss
from protocol.dealing.residue import fold
from protocol.dealing.residue.stages import ResidueStage
from protocol.dealing.residue.state import BitWork, LookWork, ResidueState, ShuffleWork
from protocol.errors import ProtocolViolation, Refused
from protocol.games.operations import (
    EVERYBODY,
    Look,
    LookAt,
    OpenCard,
    Pile,
    PutAway,
    Reveal,
    RevealCards,
    Shuffle,
    ShuffleCards,
    Turn,
)
from tests.support.residue import ResidueDeal, begun, residue_deal

NOBODY: frozenset[int] = frozenset()


def hands() -> ResidueDeal:
    """Two seats with one card each, and a stock of two."""
    return residue_deal(2, [Pile(4, 1)])


def loose() -> ResidueDeal:
    """Two seats and three loose cards, shuffled by both."""
    return residue_deal(2, [Pile(3, loose=True)]).want(ShuffleCards((0, 1, 2)))


def code_of(state: ResidueState, seat: int, operation, part=()) -> tuple[type, Code]:
    """Return how an operation is refused, and with which code."""
    with pytest.raises((Refused, ProtocolViolation)) as raised:
        fold.apply_operation(state, seat, operation, list(part), 50)
    return type(raised.value), raised.value.code


@pytest.mark.parametrize(
    ("operation", "part", "how", "code"),
    [
        (Look(3, 0), [], Refused, Code.NOT_IN_STOCK),
        (Look(1, 0), [0], Refused, Code.BAD_ENTRY),
        (Reveal(0), [], Refused, Code.BAD_ENTRY),
        (Reveal(0), [1], ProtocolViolation, Code.NOT_HELD),
        (Reveal(0), [2], ProtocolViolation, Code.NOT_HELD),
        (LookAt((0,), (0,)), [], Refused, Code.NOT_NOW),
        (RevealCards((0,)), [], Refused, Code.NOT_NOW),
        (ShuffleCards((0, 1), None), [], Refused, Code.NOT_NOW),
        (OpenCard(0, 0), [], Refused, Code.NOT_NOW),
        (Turn(0, (0,)), [], Refused, Code.NOT_NOW),
    ],
)
def test_operation_that_does_not_fit_a_hand_is_refused(operation, part, how, code):
    assert code_of(hands().state, 0, operation, part) == (how, code)


@pytest.mark.parametrize("piece", [0, 1])
def test_opening_of_public_card_is_late_unless_equal(piece):
    state = residue_deal(2, [Pile(3, loose=True)]).state
    if piece == 0:
        assert fold.apply_operation(state, 0, OpenCard(0, 0), [], 50) == state
    else:
        assert code_of(state, 0, OpenCard(0, piece)) == (Refused, Code.STALE)


def test_only_the_last_seat_that_looked_opens_a_loose_card():
    deal = loose()
    assert code_of(deal.state, 0, OpenCard(0, 1)) == (Refused, Code.NOT_HELD)
    deal.want(LookAt((0,), (0,)))
    assert code_of(deal.state, 1, OpenCard(0, 1)) == (Refused, Code.NOT_HELD)
    after = fold.apply_operation(deal.state, 0, OpenCard(0, 1), [], 50)
    assert after.claimed_pieces == {0: 1} and after.duties() == ((0, "tell"),)
    assert code_of(after, 0, OpenCard(0, 1)) == (Refused, Code.NOT_HELD)


def test_false_claim_is_named_by_the_bits_that_follow():
    deal = loose().want(LookAt((0,), (0,)))
    true = deal.opened(0)
    deal.begin(0, OpenCard(0, (true + 1) % 3))
    post = deal.duty(0)
    assert post is not None and deal.lie(0, post) == Code.BAD_OPENING


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([bytes(4), bytes(proof_size((1 << 512) - 1))], Code.BAD_PROOF),
        ([b"\x04\x00", bytes(proof_size((1 << 512) - 1))], Code.BAD_PROOF),
        ([bytes(2), bytes(proof_size((1 << 512) - 1))], Code.BAD_PROOF),
    ],
    ids=["bits of two cards", "bit beyond the last", "false proof"],
)
def test_bits_that_cannot_be_are_named(body, code):
    deal = hands()
    deal.begin(EVERYBODY, Look(1, EVERYBODY))
    with pytest.raises(ProtocolViolation) as raised:
        fold.apply(deal.state, 0, "tell", body, 50)
    assert raised.value.code is code


@pytest.mark.parametrize(
    ("changed", "code"), [(0, Code.BAD_MODULUS), (1, Code.BAD_PROOF)], ids=["size", "proof"]
)
def test_key_that_cannot_be_is_named(changed, code):
    deal = begun(2, [Pile(4, 1)])
    post = deal.duty(0)
    assert post is not None
    body = list(post.body)
    body[changed] = body[0] + bytes(8) if changed == 0 else bytes(len(body[1]))
    with pytest.raises(ProtocolViolation) as raised:
        fold.apply(deal.state, 0, "key", body, 50)
    assert raised.value.code is code


def test_key_of_another_seat_is_named():
    deal = begun(2, [Pile(4, 1)])
    assert deal.step(0)
    key = deal.entries[0][2]
    with pytest.raises(ProtocolViolation):
        fold.apply(deal.state, 1, "key", key, 50)


def test_tellings_of_one_entry_are_merged():
    state = hands().state
    once = fold.apply_operation(state, EVERYBODY, Look(1, EVERYBODY), [], 50)
    twice = fold.apply_operation(once, EVERYBODY, Look(1, 0), [], 50)
    assert twice.pending_work == (BitWork(((2, NOBODY), (3, frozenset({0})))),)
    later = fold.apply_operation(once, EVERYBODY, Look(1, 0), [], 51)
    assert len(later.pending_work) == 2


def test_shuffle_between_tellings_keeps_them_apart():
    state = loose().state
    for operation in (RevealCards((0,)), ShuffleCards((0, 1)), RevealCards((1,))):
        state = fold.apply_operation(state, EVERYBODY, operation, [], 50)
    kinds = [type(work) for work in state.pending_work]
    assert kinds == [BitWork, ShuffleWork, BitWork]


def test_work_that_is_done_already_needs_no_entry():
    deal = loose().want(RevealCards((0,)))
    for operation in (RevealCards((0,)), LookAt((0,), (1,)), ShuffleCards((0,))):
        assert fold.apply_operation(deal.state, EVERYBODY, operation, [], 50).ready


@pytest.mark.parametrize(
    ("by", "seats", "alone"),
    [(None, (0, 1), ()), ((1,), (1,), (1,)), ((0, 1), (0, 1), ()), ((7,), (0, 1), ())],
)
def test_loose_cards_are_shuffled_by_the_named_seats(by, seats, alone):
    state = fold.apply_operation(loose().state, EVERYBODY, ShuffleCards((2, 0), by), [], 50)
    assert state.pending_work == (ShuffleWork((0, 2), seats, alone),)


def test_look_behind_other_work_is_planned_later():
    state = fold.apply_operation(loose().state, EVERYBODY, ShuffleCards((0, 1)), [], 50)
    state = fold.apply_operation(state, EVERYBODY, LookAt((0,), (1,)), [], 50)
    assert state.pending_work[1] == LookWork((0,), frozenset({1}))


def test_reshuffle_takes_the_stock_and_the_cards_put_away():
    state = fold.apply_operation(hands().state, 0, PutAway((0,)), [], 50)
    state = fold.apply_operation(state, EVERYBODY, Shuffle(), [], 50)
    assert state.pending_work == (ShuffleWork((0, 2, 3), (0, 1)),)
    assert state.holders == {1: 1} and state.stage is ResidueStage.SHUFFLE


@pytest.mark.parametrize(("show", "owing"), [(None, {0, 1}), ((0,), {0}), ((), set())])
def test_close_shows_the_cards_of_these_seats(show, owing):
    state = fold.close(hands().state, show, 50)
    assert {seat for seat, _ in state.duties()} == owing
    assert (state.stage is ResidueStage.CLOSED) == (not owing)


@pytest.mark.parametrize(("seats", "loss"), [(2, DealLoss.DROPPED), (3, DealLoss.VOID)])
def test_leaver_drops_a_deal_of_two_and_voids_others(seats, loss):
    assert fold.leave(begun(seats, [Pile(4, 1)]).state, 0, 50) is loss


def test_chunk_out_of_order_is_named():
    deal = begun(2, [Pile(4, 1)]).run(ResidueStage.SHUFFLE)
    post = deal.duty(0)
    assert post is not None
    whole, number, data = post.body
    for body in ([whole, number + 1, data], [whole, number, data[:-1]]):
        with pytest.raises(ProtocolViolation) as raised:
            fold.apply(deal.state, 0, "chunk", body, 50)
        assert raised.value.code is Code.BAD_CHUNK


def test_drawn_card_is_not_held_before_others_post_bits():
    state = fold.apply_operation(hands().state, 0, Look(1, 0), [], 50)
    assert code_of(state, 0, Reveal(2), [2]) == (ProtocolViolation, Code.NOT_HELD)
