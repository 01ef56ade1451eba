"""Proofs about trades of a card: small, and enough for who knows nothing else."""

from itertools import combinations

import pytest

from protocol.ledger.conflicts import GivenPlace
from protocol.ledger.evidence import (
    conflict_proof,
    dead_trades,
    death_proof,
    fault_proof,
    trades_from,
)
from protocol.ledger.record_contents import CardTransfer
from protocol.ledger.record_set import RecordSet
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    traded,
    waive,
)

ONE, TWO = card(1), card(2)
TO_ANN = traded(MAKER, ANN, [slot_of(ONE.id)])
TO_BOB = traded(MAKER, BOB, [slot_of(TWO.id)])
SWAP = traded(ANN, BOB, [slot_of(ONE.id, TO_ANN.id)], [slot_of(TWO.id, TO_BOB.id)])
SPENT = traded(BOB, CAROL, [slot_of(TWO.id, TO_BOB.id)])
OVER = traded(ANN, DAN, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])
ABOVE = traded(ANN, EVE, [CardTransfer(ONE.id, 0, 3, TO_ANN.id, OVER.id)])
NEXT = traded(BOB, EVE, [CardTransfer(ONE.id, 0, 2, SWAP.id, None)])
EARLIER = traded(MAKER, EVE, [slot_of(TWO.id)])  # the other card, given twice before Bob had it
REFUSED = waive(SWAP, BOB)
LISTING = traded(ANN, CAROL, [slot_of(ONE.id, TO_ANN.id)], waives=[REFUSED])
SECOND = traded(ANN, DAN, [slot_of(ONE.id, TO_ANN.id)])
ANNS = GivenPlace(ONE.id, TO_ANN.id, ANN.public)
ALL = [TYPE, ONE, TWO, TO_ANN, TO_BOB]


@pytest.mark.parametrize(
    ("known", "trade", "proof"),
    [
        ([SWAP], SWAP, None),
        ([SWAP, REFUSED], SWAP, {REFUSED}),
        ([SWAP, waive(SWAP, DAN)], SWAP, None),
        ([SWAP, SPENT], SWAP, {SWAP, SPENT}),
        # by the past of the other card
        ([SWAP, TO_BOB, EARLIER], SWAP, {TO_BOB, EARLIER}),
        ([SWAP, NEXT, REFUSED], NEXT, {SWAP, REFUSED}),
        # by a waive of its own giver, one trade further down
        ([OVER, waive(SWAP, ANN)], OVER, {waive(SWAP, ANN)}),
        ([OVER, waive(SWAP, BOB)], OVER, None),
        ([OVER, ABOVE, waive(SWAP, ANN)], ABOVE, {OVER, waive(SWAP, ANN)}),
        # words of witnesses prove nothing
        ([*ALL, maker(1, 1), SWAP, SECOND, seen(SECOND, ONE, WITNESSES[0])], NEXT, None),
        # an unknown trade
        ([], SWAP, None),
    ],
)
def test_dead_trade_has_a_small_proof(known, trade, proof):
    found = death_proof(RecordSet(known), trade.id)
    assert (None if found is None else set(found)) == proof
    if found is not None:
        alone = death_proof(RecordSet([trade, *found]), trade.id)
        assert alone is not None


def test_smallest_proof_is_taken_and_bounded():
    known = RecordSet([SWAP, SPENT, TO_BOB, EARLIER, REFUSED])
    assert death_proof(known, SWAP.id) == (REFUSED,)
    assert death_proof(known, SWAP.id, len(REFUSED.raw)) == (REFUSED,)
    assert death_proof(known, SWAP.id, len(REFUSED.raw) - 1) is None


def test_conflict_has_all_records_by_which_it_counts():
    known = [SWAP, REFUSED, LISTING, SECOND]
    found = conflict_proof(RecordSet(known), ANNS)
    assert {*found} >= {SECOND}
    assert conflict_proof(RecordSet(found), ANNS)
    for some in combinations(found, len(found) - 1):
        assert conflict_proof(RecordSet(some), ANNS) == ()
    assert conflict_proof(RecordSet([SWAP, REFUSED, LISTING]), ANNS) == ()
    assert conflict_proof(RecordSet([SECOND, LISTING]), ANNS) == ()
    assert set(conflict_proof(RecordSet([SECOND, LISTING, REFUSED]), ANNS)) == {
        *(SECOND, LISTING, REFUSED),
    }


def test_two_ways_of_one_size_to_a_trade_are_searched():
    """Two cards come in one trade, part, and meet again: the search comes to that trade twice."""
    both = traded(MAKER, ANN, [slot_of(ONE.id), slot_of(TWO.id)])
    apart = [traded(ANN, BOB, [slot_of(one.id, both.id)]) for one in (ONE, TWO)]
    links = [
        CardTransfer(one.id, 0, 2, link.id, None)
        for one, link in zip((ONE, TWO), apart, strict=True)
    ]
    again = traded(BOB, CAROL, links)
    known = [both, *apart, again]
    assert len({len(one.raw) for one in apart}) == 1
    assert death_proof(RecordSet(known), again.id) is None
    found = death_proof(RecordSet([*known, waive(both, ANN)]), again.id)
    assert found is not None
    assert {both, waive(both, ANN)} < set(found)


def test_proof_survives_every_later_record():
    later = [REFUSED, waive(SPENT, CAROL), EARLIER, LISTING, OVER, waive(OVER, DAN)]
    for count in range(len(later) + 1):
        for more in combinations(later, count):
            assert death_proof(RecordSet([SWAP, SPENT, *more]), SWAP.id) is not None


def test_trades_from_a_place_are_those_of_its_giver():
    stranger = traded(EVE, DAN, [slot_of(ONE.id, TO_ANN.id)])
    known = RecordSet([SWAP, stranger, NEXT, OVER])
    assert set(trades_from(known, ANNS)) == {SWAP.id, OVER.id}


def test_proof_is_found_on_two_equally_long_ways():
    """Both cards of a trade came to their giver by trades of one size, from one trade."""
    both = traded(MAKER, ANN, [slot_of(ONE.id), slot_of(TWO.id)])
    ways = [traded(ANN, CAROL, [slot_of(one.id, both.id)]) for one in (ONE, TWO)]
    steps = zip((ONE, TWO), ways, strict=True)
    moved = [CardTransfer(one.id, 0, 2, way.id, None) for one, way in steps]
    last = traded(CAROL, DAN, moved)
    known = RecordSet([both, *ways, last, waive(both, ANN)])
    found = death_proof(known, last.id)
    assert found is not None
    assert len(found) == 3


@pytest.mark.parametrize("known", [[SWAP], [SWAP, REFUSED], [SWAP, SPENT], [SWAP, OVER, ABOVE]])
def test_dead_trades_are_those_with_a_proof(known):
    records = RecordSet([*known, TO_BOB, EARLIER, NEXT])
    names = [one.id for one in records.orphans] + [one.id for one in records]
    proven = {name for name in names if death_proof(records, name) is not None}
    assert dead_trades(records, names) == proven


@pytest.mark.parametrize(
    ("known", "party", "guilty"),
    [
        ([SWAP], ANN, False),
        ([SWAP, REFUSED], BOB, True),
        ([SWAP, REFUSED], ANN, False),
        # somebody else's waive
        ([SWAP, waive(SWAP, DAN)], DAN, False),
        ([SWAP, SPENT], BOB, True),
        ([SWAP, SPENT], ANN, False),
        # of the giver of the other card, upstream
        ([SWAP, TO_BOB, EARLIER], BOB, False),
        ([OVER, waive(SWAP, ANN)], ANN, True),
        ([OVER, waive(SWAP, ANN)], DAN, False),
        ([OVER, waive(SWAP, BOB)], BOB, False),
    ],
)
def test_fault_is_of_the_party_that_signed_it(known, party, guilty):
    found = fault_proof(RecordSet(known), known[0].id, party.public)
    assert bool(found) == guilty
