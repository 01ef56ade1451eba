"""Keys of related records, and the records under a key that matter for a card."""

import pytest

from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.related_records import (
    Lookups,
    companion_keys,
    index_keys,
    place_key,
    relevant_ids,
)
from protocol.steps import finish
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    trade_of,
    traded,
    waive,
)

CARD, OTHER = card(1), card(2)
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
NEXT = traded(ANN, BOB, [slot_of(CARD.id, FIRST.id)])
STRANGER = traded(EVE, CAROL, [slot_of(CARD.id, FIRST.id)])
SLOT = FIRST.content.transfers[0].slot
PLACE = place_key(FIRST.content.transfers[0])
NEXT_PLACE = place_key(NEXT.content.transfers[0])


def found(key: bytes, *records: LedgerRecord) -> list[bytes]:
    known = RecordSet(records)
    return finish(relevant_ids(key, known, Lookups()))


@pytest.mark.parametrize(
    ("record", "keys"),
    [
        (FIRST, {PLACE, CARD.id}),
        (waive(FIRST, ANN), {FIRST.id}),
        (traded(MAKER, BOB, [slot_of(CARD.id, over=FIRST.id)]), {PLACE, CARD.id, FIRST.id}),
        (seen(FIRST, CARD, WITNESSES[0]), {FIRST.id, SLOT}),
        (maker(), {MAKER.public}),
        (TYPE, {TYPE.id}),
        (CARD, set()),
    ],
)
def test_record_is_filed_under_its_keys(record, keys):
    assert set(index_keys(record)) == keys


@pytest.mark.parametrize(
    ("record", "keys"),
    [
        (FIRST, {FIRST.id, PLACE, SLOT}),
        (TYPE, {MAKER.public, TYPE.id}),
        (CARD, {MAKER.public}),
        (seen(FIRST, CARD, WITNESSES[0]), {WITNESSES[0].public}),
        (waive(FIRST, ANN), set()),
    ],
)
def test_record_asks_for_the_keys_of_its_companions(record, keys):
    assert set(companion_keys(record)) == keys


def test_replacement_has_the_place_of_the_replaced_trade():
    again = trade_of(MAKER, BOB, [slot_of(CARD.id, over=FIRST.id)])
    assert place_key(again.transfers[0]) == PLACE
    assert NEXT_PLACE != PLACE


@pytest.mark.parametrize(
    ("key", "records", "relevant"),
    [
        (PLACE, [TYPE, CARD, FIRST], [FIRST]),
        # a card that is not known belongs to nobody
        (PLACE, [FIRST], []),
        (NEXT_PLACE, [TYPE, CARD, FIRST, NEXT, STRANGER], [NEXT]),
        (PLACE, [TYPE, CARD, traded(EVE, CAROL, [slot_of(CARD.id)])], []),
        (CARD.id, [TYPE, CARD, FIRST, NEXT, STRANGER], [FIRST, NEXT]),
        (FIRST.id, [FIRST, waive(FIRST, ANN), waive(FIRST, EVE)], [waive(FIRST, ANN)]),
        # nobody can tell what it is about
        (FIRST.id, [waive(FIRST, ANN)], []),
        (MAKER.public, [maker(), maker(2, 2, revision=1)], [maker(), maker(2, 2, revision=1)]),
    ],
)
def test_relevant_records_are_those_of_the_owner(key, records, relevant):
    assert found(key, *records) == [record.id for record in relevant]


def test_attestation_counts_from_named_witnesses_alone():
    named, other = seen(FIRST, CARD, WITNESSES[0]), seen(FIRST, CARD, WITNESSES[3])
    known = [maker(2, 2), TYPE, CARD, FIRST, named, other]
    assert found(SLOT, *known) == [named.id]
    assert found(SLOT, *known[1:]) == []


def test_one_attestation_of_a_witness_is_enough():
    first, again = (seen(FIRST, CARD, WITNESSES[0], position) for position in (3, 4))
    known = [maker(2, 2), TYPE, CARD, FIRST]
    assert found(SLOT, *known, first, again) == [first.id]
    assert found(SLOT, *known, again, first) == [again.id]
