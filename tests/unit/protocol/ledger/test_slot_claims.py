"""Trades that stand in each slot: the same in every order of arrival."""

from itertools import permutations

import pytest

from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.records import LedgerRecord
from protocol.ledger.slot_claims import SlotIndex, claim_of_transfer
from tests.support.ledger import ANN, BOB, CAROL, DAN, MAKER, card, slot_of, trade_of, traded, waive

CARD = card(1)
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
RIVAL = traded(MAKER, BOB, [slot_of(CARD.id)])
# replaces FIRST, and a replacement of the replacement
AGAIN = traded(MAKER, CAROL, [slot_of(CARD.id, over=FIRST.id)])
THIRD = traded(MAKER, DAN, [slot_of(CARD.id, over=AGAIN.id)])
BY_ANN, BY_MAKER, BY_BOB = waive(FIRST, ANN), waive(FIRST, MAKER), waive(FIRST, BOB)
BY_CAROL, RIVAL_BY_BOB = waive(AGAIN, CAROL), waive(RIVAL, BOB)


def index_of(*records: LedgerRecord) -> SlotIndex:
    index = SlotIndex()
    for record in records:
        add(index, record)
    return index


def add(index: SlotIndex, record: LedgerRecord) -> set[bytes]:
    if isinstance(record.content, Trade):
        return index.trade(record.id, record.content)
    assert isinstance(record.content, Waive)
    return index.waive(record.content)


def standing(index: SlotIndex, record: LedgerRecord) -> set[bytes]:
    assert isinstance(record.content, Trade)
    (one,) = record.content.transfers
    return set(index.standing.get(claim_of_transfer(record.content, one), ()))


@pytest.mark.parametrize(
    ("records", "there"),
    [
        ([FIRST], {FIRST}),
        ([FIRST, RIVAL], {FIRST, RIVAL}),
        ([FIRST, BY_ANN], set()),
        ([FIRST, RIVAL, BY_ANN], {RIVAL}),
        # only the receiver frees the slot
        ([FIRST, BY_MAKER], {FIRST}),
        ([FIRST, BY_BOB], {FIRST}),
        # a trade that was waived stands as long as a later one rests on it
        ([FIRST, BY_ANN, AGAIN], {FIRST}),
        ([FIRST, BY_ANN, AGAIN, BY_CAROL], set()),
        ([FIRST, BY_ANN, AGAIN, BY_CAROL, THIRD], {FIRST}),
        ([FIRST, BY_ANN, RIVAL, RIVAL_BY_BOB], set()),
    ],
)
def test_trades_that_stand_are_the_same_in_every_order(records, there):
    for order in permutations(records):
        assert standing(index_of(*order), FIRST) == {record.id for record in there}


def test_waive_frees_its_slot_alone():
    other = card(2)
    second = traded(MAKER, ANN, [slot_of(other.id)])
    index = index_of(FIRST, second, BY_ANN)
    assert standing(index, FIRST) == set() and standing(index, second) == {second.id}


def test_slot_of_another_giver_is_another_slot():
    stranger = traded(BOB, CAROL, [slot_of(CARD.id)])
    index = index_of(FIRST, stranger)
    assert standing(index, FIRST) == {FIRST.id} and standing(index, stranger) == {stranger.id}


def test_replacement_by_another_giver_supports_nothing():
    foreign = traded(BOB, CAROL, [slot_of(CARD.id, over=FIRST.id)])
    assert standing(index_of(FIRST, BY_ANN, foreign), FIRST) == set()


@pytest.mark.parametrize(
    ("known", "news", "touched"),
    [
        ([FIRST], RIVAL, {FIRST, RIVAL}),
        ([FIRST, RIVAL], BY_ANN, {FIRST, RIVAL}),
        ([], FIRST, {FIRST}),
        ([FIRST, BY_ANN], BY_ANN, set()),
        ([], BY_ANN, set()),
        ([FIRST, BY_ANN], AGAIN, {AGAIN, FIRST}),
    ],
)
def test_change_names_the_trades_whose_validity_may_change(known, news, touched):
    assert add(index_of(*known), news) == {record.id for record in touched}


def test_slot_is_contested_between_two_standing_trades():
    trade = trade_of(MAKER, ANN, [slot_of(CARD.id)])
    (one,) = trade.transfers
    assert not index_of(FIRST).contested(trade, one)
    assert index_of(FIRST, RIVAL).contested(trade, one)
    assert not index_of(FIRST, RIVAL, BY_ANN).contested(trade, one)
