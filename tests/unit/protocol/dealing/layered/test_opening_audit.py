"""Audit of the openings of a layered deal: who is named from which false opening."""

from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.group import decode_point, decode_scalar
from protocol.crypto.oblivious_transfer import DrawContext, choose, transfer
from protocol.dealing import TABLE, Fault
from protocol.dealing.layered.opening_audit import audit_openings
from protocol.dealing.layered.primitives import encode_piece
from protocol.dealing.layered.state import LayeredState, ShownPiece
from protocol.fast_replace import replace
from tests.support.deal import direct_deal

Change = Callable[[LayeredState], LayeredState]


@cache
def closed() -> LayeredState:
    """Three seats with two pieces of nine each; seat 1 has drawn one piece. All is open."""
    deal = direct_deal(3, 9, 2, 4)
    deal.draw(1)
    assert deal.close() == ()
    return deal.state


def seat(number: int, **changes: object) -> Change:
    """A seat opens something else."""

    def change(state: LayeredState) -> LayeredState:
        openings = list(state.openings)
        openings[number] = replace(openings[number], **changes)
        return replace(state, openings=tuple(openings))

    return change


def table(**changes: object) -> Change:
    """The table opens something else."""
    return lambda state: replace(state, table_opening=replace(state.table_opening, **changes))


def opening(number: int):
    found = closed().openings[number]
    assert found is not None
    return found


def named(*changes: Change) -> set[tuple[int, int, Code]]:
    """Return seat, entry and code of each fault after these changes."""
    state = closed()
    for change in changes:
        state = change(state)
    return {(fault.seat, fault.entry, fault.code) for fault in found(state)}


def found(state: LayeredState) -> tuple[Fault, ...]:
    return audit_openings(state).faults


def swapped(deck: tuple, first: int, second: int) -> tuple:
    other = list(deck)
    other[first], other[second] = other[second], other[first]
    return tuple(other)


def test_honest_openings_name_nobody_and_give_all_hands():
    result = audit_openings(closed())
    pieces = [piece for hands in (result.dealt, result.drawn) for hand in hands for piece in hand]
    assert result.faults == () and result == closed().result
    assert [len(hand) for hand in result.drawn] == [0, 1, 0]
    assert len(pieces) == len(set(pieces)) == 7


@pytest.mark.parametrize("number", range(3))
def test_false_layer_key_names_its_seat(number):
    entry = closed().list_entries[3 - number]
    keys = opening(number).layer_keys
    fault = {(number, entry, Code.BAD_LAYER_KEY)}
    assert named(seat(number, layer_keys=(bytes(32), *keys[1:]))) == fault
    assert named(seat(number, layer_keys=keys[1:])) == fault
    # the right keys of other elements
    assert named(seat(number, layer_keys=(*keys[1:], keys[0]))) == fault


def test_two_false_layers_name_both_seats():
    changes = [seat(number, layer_keys=()) for number in (0, 2)]
    assert {who for who, _, _ in named(*changes)} == {0, 2}


def test_deck_with_other_keys_names_the_table():
    state = closed()
    assert state.table_opening is not None
    deck = swapped(state.table_opening.deck, 0, 1)
    assert named(table(deck=deck)) == {(TABLE, state.table_opening.at, Code.BAD_PSEUDONYM)}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("transfer_secret", Code.BAD_TRANSFER),
        ("ephemeral_secret", Code.BAD_ASSIGNMENT),
    ],
)
def test_false_secret_of_the_table_names_it(name, code):
    state = closed()
    assert state.table_opening is not None
    at = state.table_opening.at
    assert named(table(**{name: bytes([1]) + bytes(31)})) == {(TABLE, at, code)}


def test_piece_sealed_falsely_names_the_table():
    def change(state: LayeredState) -> LayeredState:
        return replace(state, assigned=swapped(state.assigned, 0, 1))

    assert named(change) == {(TABLE, closed().assigned_at, Code.BAD_ASSIGNMENT)}


def test_message_of_a_draw_that_was_false_names_the_table():
    def change(state: LayeredState) -> LayeredState:
        (draw,) = state.draws
        # a message that its receiver did not choose counts as well
        return replace(state, draws=(replace(draw, reply=swapped(draw.reply, 0, 1)),))

    (draw,) = closed().draws
    assert named(change) == {(TABLE, draw.reply_at, Code.BAD_TRANSFER)}


@pytest.mark.parametrize(
    "changes",
    [{"r2": bytes(32)}, {"hand": ()}],
    ids=["another number", "another hand"],
)
def test_hand_that_was_not_committed_names_its_seat(changes):
    at = opening(1).at
    assert named(seat(1, **changes)) == {(1, at, Code.BAD_HAND_OPENING)}


def test_copied_commitment_that_cannot_be_opened_is_a_copy():
    def change(state: LayeredState) -> LayeredState:
        first, second, third = state.commitments
        assert first is not None and second is not None
        return replace(state, commitments=(first, (second[0], first[1], second[2]), third))

    assert named(change) == {(1, opening(1).at, Code.COPIED_COMMITMENT)}


@pytest.mark.parametrize("keys", [(), (bytes(32), bytes(32))])
def test_slot_that_a_seat_cannot_open_names_it(keys):
    assert named(seat(2, slot_keys=keys)) == {(2, opening(2).at, Code.HAND_NOT_HELD)}


def test_draw_of_another_piece_names_its_seat():
    (draw,) = closed().draws
    ((choice, secret),) = opening(1).choices
    other = (choice + 1) % closed().stock_size
    assert named(seat(1, choices=((other, secret),))) == {(1, draw.query_at, Code.PEEKED)}


@pytest.mark.parametrize("choices", [(), ((0, b"\xff" * 32),)], ids=["none", "no number"])
def test_draw_that_is_not_opened_names_its_seat(choices):
    assert named(seat(1, choices=choices)) == {(1, opening(1).at, Code.PEEKED)}


@pytest.mark.parametrize("by", range(3))
def test_piece_shown_by_another_seat_names_it(by):
    state = closed()
    assert state.result is not None and state.table_opening is not None
    # a piece that was dealt to seat 0
    position = next(
        at
        for at in state.taken_positions
        if state.table_opening.deck[at][0] == state.result.dealt[0][0]
    )
    piece = state.result.dealt[0][0]
    shown = ShownPiece(seat=by, piece=piece, position=position, element=0, at=77)
    faults = named(lambda state: replace(state, shown_pieces=(shown,)))
    assert faults == (set() if by == 0 else {(by, 77, Code.NOT_HELD)})


def test_draw_of_another_piece_done_in_earnest_names_its_seat():
    """The query, the reply and the opening fit each other, and ask for a piece of the stock that
    the seat did not draw.
    """
    state = closed()
    (draw,) = state.draws
    ((right, _),) = opening(1).choices
    other = (right + 1) % state.stock_size
    assert state.table_opening is not None
    point = decode_point(state.transfer_point)
    x, query = choose(point, other, state.stock_size, Random(1))
    deck = [encode_piece(*state.table_opening.deck[at]) for at in state.stock_positions]
    secret = decode_scalar(state.table_opening.transfer_secret)
    reply = transfer(secret, point, query, deck, DrawContext(state.deal_id, 1, draw.number))
    asked = replace(draw, query=query.encoded, reply=tuple(reply))
    faults = named(
        seat(1, choices=((other, x.encoded),)), lambda each: replace(each, draws=(asked,))
    )
    assert faults == {(1, draw.query_at, Code.PEEKED)}
