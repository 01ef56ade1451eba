"""Records that prove a cheat together with a known record."""

import pytest

from protocol.ledger.merge.accusations import accusing_records
from protocol.ledger.record_set import RecordSet
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    EVE,
    MAKER,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    traded,
    waive,
)

CARD = card(1)
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
RIVAL = traded(MAKER, BOB, [slot_of(CARD.id)])
AGAIN = traded(MAKER, CAROL, [slot_of(CARD.id, over=FIRST.id)])
REFUSED = waive(FIRST, ANN)
LISTED = traded(MAKER, CAROL, [slot_of(CARD.id)], waives=[REFUSED])
STRANGER = traded(EVE, CAROL, [slot_of(CARD.id)])


@pytest.mark.parametrize(
    ("asked", "others", "accusing"),
    [
        ([FIRST], [], []),
        ([RIVAL], [FIRST], [RIVAL]),
        ([FIRST, RIVAL], [], [FIRST, RIVAL]),
        # a trade over the other, and one by somebody else
        ([AGAIN], [FIRST], []),
        # trades that list the waive of the other, and a waive by which a trade counts
        ([LISTED], [FIRST, REFUSED], []),
        ([LISTED], [RIVAL], []),
        ([LISTED, REFUSED], [RIVAL], [LISTED, REFUSED]),
        ([waive(FIRST, MAKER)], [AGAIN], [waive(FIRST, MAKER)]),
        ([STRANGER], [FIRST], []),
        # one party has signed a trade, and a waive of it
        ([FIRST], [waive(FIRST, ANN)], [FIRST]),
        ([waive(FIRST, ANN)], [FIRST], [waive(FIRST, ANN)]),
        ([waive(FIRST, ANN)], [], []),
        ([FIRST], [waive(FIRST, EVE)], []),
        # a witness may repeat itself, but not attest two trades
        ([seen(FIRST, CARD, WITNESSES[0])], [seen(FIRST, CARD, WITNESSES[0], 5)], []),
        (
            [seen(FIRST, CARD, WITNESSES[0])],
            [seen(RIVAL, CARD, WITNESSES[0])],
            [seen(FIRST, CARD, WITNESSES[0])],
        ),
        ([seen(FIRST, CARD, WITNESSES[0])], [seen(RIVAL, CARD, WITNESSES[1])], []),
        ([maker(2, 2)], [maker(3, 2)], [maker(2, 2)]),
    ],
)
def test_record_that_contradicts_a_known_one_accuses(asked, others, accusing):
    known = RecordSet([*others, *asked])
    found = accusing_records(asked, known)
    assert [record.id for record in found] == [record.id for record in accusing]
