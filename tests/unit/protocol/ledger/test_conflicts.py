"""Conflicts of one giver at one place: the same in every order of arrival, and for ever."""

from itertools import combinations, permutations
from random import Random

import pytest

from protocol.ledger.conflicts import (
    Conflicts,
    GivenPlace,
    conflicting_pair,
    given_place,
    replaced_trades,
)
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import LedgerRecord, waive_id
from protocol.ledger.trade_links import transfer_of
from tests.support.ledger import ANN, BOB, CAROL, DAN, MAKER, bare, card, slot_of, traded, waive

CARD = card(1)
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
W_FIRST = waive(FIRST, ANN)
LISTING = traded(MAKER, BOB, [slot_of(CARD.id)], waives=[W_FIRST])
W_LISTING = waive(LISTING, BOB)
THIRD = traded(MAKER, CAROL, [slot_of(CARD.id)], waives=[W_FIRST, W_LISTING])
RIVAL = traded(MAKER, DAN, [slot_of(CARD.id)])
OVER = traded(MAKER, CAROL, [slot_of(CARD.id, over=FIRST.id)])
ABOVE = traded(MAKER, DAN, [CardTransfer(CARD.id, 0, 2, None, OVER.id)])
# lists the waive of the trade that is over the first, and is over the first as well
BESIDE = traded(MAKER, DAN, [slot_of(CARD.id, over=FIRST.id)], waives=[waive(OVER, CAROL)])
PLACE = GivenPlace(CARD.id, None, MAKER.public)


def index_of(*records: LedgerRecord) -> Conflicts:
    index = Conflicts()
    for record in records:
        add(index, record)
    return index


def add(index: Conflicts, record: LedgerRecord) -> set[bytes]:
    if isinstance(record.content, Trade):
        return index.trade(record.id, record.content)
    assert isinstance(record.content, Waive)
    return index.waive(record.id, record.content)


@pytest.mark.parametrize(
    ("records", "conflict"),
    [
        ([FIRST], False),
        ([FIRST, RIVAL], True),
        # the later one lists the waive of the earlier, and only then
        ([FIRST, W_FIRST, LISTING], False),
        ([FIRST, W_FIRST, RIVAL], True),
        # without the waive it does not count
        ([FIRST, LISTING], False),
        ([FIRST, W_FIRST, LISTING, W_LISTING, THIRD], False),
        ([FIRST, W_FIRST, W_LISTING, THIRD], False),
        ([FIRST, OVER], False),
        ([FIRST, OVER, ABOVE], False),
        # a trade over one that is missing does not count
        ([OVER, RIVAL], False),
        ([FIRST, OVER, RIVAL], True),
        ([FIRST, OVER, waive(OVER, CAROL), BESIDE], False),
        ([FIRST, OVER, waive(OVER, CAROL), BESIDE, ABOVE], True),
    ],
)
def test_conflict_is_the_same_in_every_order(records, conflict):
    for order in list(permutations(records))[:120]:
        assert index_of(*order).conflict(PLACE) is conflict


def test_conflict_belongs_to_one_giver():
    stranger = traded(BOB, CAROL, [slot_of(CARD.id)])
    index = index_of(FIRST, stranger)
    assert not index.conflict(PLACE)
    assert not index.conflict(PLACE._replace(giver=BOB.public))


def test_change_names_all_trades_of_a_place_in_conflict():
    index = index_of(FIRST)
    assert add(index, RIVAL) == {FIRST.id, RIVAL.id}
    assert add(index, W_FIRST) == {FIRST.id}
    assert add(index, OVER) == {OVER.id}
    # a trade over the waived one may be denied by it
    assert add(index, waive(FIRST, MAKER)) == {FIRST.id, OVER.id}


def test_waive_that_is_missing_makes_its_trade_count_later():
    index = index_of(LISTING, RIVAL)
    assert not index.conflict(PLACE)
    assert add(index, W_FIRST) >= {LISTING.id, RIVAL.id}
    assert index.conflict(PLACE)


def _covers(later: bytes, earlier: bytes, trades: dict[bytes, Trade]) -> bool:
    """Apply 24.3.3 to two trades, as it is written."""
    one = transfer_of(trades[later], CARD.id)
    below = replaced_trades(trades[later], one, trades)
    other = trades[earlier]
    waive = waive_id(earlier, other.receiver(transfer_of(other, CARD.id)))
    return earlier in below or any(waive in trades[name].waives for name in (later, *below))


@pytest.mark.parametrize("seed", range(60))
def test_order_of_a_place_agrees_with_pairs(seed):
    """The index keeps an order; the rule compares every two trades."""
    rng = Random(seed)
    records: list[LedgerRecord] = []
    trades: dict[bytes, Trade] = {}
    for number in range(rng.choice([3, 5, 8])):
        over = rng.choice([None, *trades])
        index = 0 if over is None else 1 + transfer_of(trades[over], CARD.id).index
        one = CardTransfer(CARD.id, 0, index, None, over)
        chance = rng.choice([0.6, 0.9, 1.0])
        listed = sorted(
            waive_id(name, trade.b) for name, trade in trades.items() if rng.random() < chance
        )
        a, b = sorted((MAKER.public, rng.choice((ANN, BOB, CAROL)).public))
        moved = CardTransfer(one.instance, int(b == MAKER.public), index, None, over)
        if b == MAKER.public:
            listed = [
                waive_id(name, trade.receiver(transfer_of(trade, CARD.id)))
                for name, trade in trades.items()
                if rng.random() < chance
            ]
        record = bare(Trade(a, b, (moved,), number, tuple(sorted(listed))))
        trades[record.id] = record.content
        records += [record, *(bare(Waive(key, record.id)) for key in (a, b))]
    conflict = any(
        not _covers(one, other, trades) and not _covers(other, one, trades)
        for one, other in combinations(trades, 2)
    )
    for _ in range(4):
        rng.shuffle(records)
        index = index_of(*records)
        assert index.conflict(PLACE) is conflict
        assert index.order(PLACE).trades.keys() == trades.keys()
        pair = conflicting_pair(PLACE, trades, index.order(PLACE).waives)
        assert (pair is not None) is conflict
        if pair is not None:
            assert not _covers(*pair, trades)
            assert not _covers(*pair[::-1], trades)
        else:
            names = index.order(PLACE).names
            assert all(_covers(late, early, trades) for early, late in combinations(names, 2))


def test_given_place_is_that_of_the_giver():
    (one,) = FIRST.content.transfers
    assert given_place(FIRST.content, one) == PLACE
