"""A set of records: canonical order, orphans apart, and the closure of a card."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import CardTransfer, CardType, Creator, Instance, Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, content_id, parents, sign_record
from protocol.ledger.view import evaluate
from protocol.limits import MAX_ORPHANS
from tests.support.histories import History, person
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    MAKER,
    TYPE,
    card,
    free,
    seen,
    slot_of,
    traded,
    waive,
)


@pytest.fixture(scope="module")
def history():
    return History(1)


def unsigned(content):
    """Return a record without valid signatures: the reader of records checks these, the set does
    not.
    """
    return LedgerRecord(b"", content_id(content), content)


def chain(length):
    """Return an instance and a chain of its trades."""
    a, b = sorted((b"a" * 32, b"b" * 32))
    card = unsigned(Instance(a, b"t" * 32, 0, bytes(16)))
    made, last = [unsigned(CardType(a, None, 0, None, "x", "", None, (), False, ""))], None
    card = unsigned(Instance(a, made[0].id, 0, bytes(16)))
    made.append(card)
    for index in range(length):
        trade = unsigned(Trade(a, b, (CardTransfer(card.id, index % 2, index, last, None),)))
        made.append(trade)
        last = trade.id
    return made


@pytest.mark.parametrize("seed", range(5))
def test_record_order_is_canonical_with_parents_first(history, seed):
    shuffled = list(history.records)
    Random(seed).shuffle(shuffled)
    records = RecordSet()
    assert all(records.add(record) for record in shuffled)
    assert list(records) == list(RecordSet(history.records))
    assert records.orphans == () and len(records) == len(history.records)
    met = set()
    for record in records:
        assert met.issuperset(parents(record.content))
        met.add(record.id)


def test_known_record_is_not_new(history):
    records = RecordSet(history.records)
    assert not any(map(records.add, history.records))


def test_orphan_is_held_without_depth_until_parents_arrive(history):
    *before, last = history.records
    records = RecordSet()
    assert records.add(last)
    assert last.id in records and records.get(last.id) is last
    assert records.depth(last.id) is None and records.missing(last) == parents(last.content)
    assert list(records) == [] and records.orphans == (last,) and records.closure([last.id]) == ()
    for record in before:
        records.add(record)
    assert records.depth(last.id) > 0 and records.missing(last) == () and records.orphans == ()


@pytest.mark.slow
def test_orphans_are_bounded_and_complete_records_still_enter():
    first, *others = chain(0)
    records = RecordSet(
        unsigned(Instance(b"a" * 32, number.to_bytes(32, "big"), 0, bytes(16)))
        for number in range(MAX_ORPHANS)
    )
    with pytest.raises(RemoteError) as refused:
        records.add(others[0])
    assert refused.value.code is Code.TOO_MANY and others[0].id not in records
    assert records.add(first) and records.add(others[0])


@pytest.mark.slow
def test_orphan_chain_settles_without_recursion():
    made = chain(MAX_ORPHANS - 1)
    records = RecordSet(reversed(made[1:]))
    assert len(records) == 0
    records.add(made[0])
    assert records.depth(made[-1].id) == len(made) - 1
    assert len(records.closure([made[-1].id])) == len(made)


def test_branch_grows_without_its_set(history):
    half = len(history.records) // 2
    records = RecordSet(history.records[:half])
    branch = records.branch()
    for record in history.records[half:]:
        branch.add(record)
    assert len(records) == half and len(branch) == len(history.records)
    assert list(records) == list(RecordSet(history.records[:half]))
    assert list(branch) == list(RecordSet(history.records))


def test_orphan_of_a_set_settles_in_its_branch():
    first, second, third, *_ = chain(1)
    records = RecordSet([second])
    branch = records.branch()
    branch.add(third)
    branch.add(first)
    assert [record.id for record in branch] == [first.id, second.id, third.id]
    assert len(records) == 0 and records.orphans == (second,)


class TestClosure:
    def test_iteration_has_all_parents_first(self, history):
        records = RecordSet(history.records)
        met = set()
        for record in records.closure([history.records[-1].id]):
            assert met.issuperset(parents(record.content))
            met.add(record.id)
        assert history.records[-1].id in met

    def test_card_closure_has_trades_conflicts_and_waives(self):
        history = History(2, cards=2, people=4, trades=3, spends=1)
        spent = [record for record in history.records if isinstance(record.content, Trade)]
        waived = history.waive(spent[0], history.people[1])
        assert waived.content.creator in (spent[0].content.a, spent[0].content.b)
        records = RecordSet(history.records)
        card = spent[0].content.transfers[0].instance
        found = set(records.closure([card]))
        # two trades of one slot: a double spend
        assert {spent[0], spent[1], waived} <= found
        assert {
            record for record in spent if card in [one.instance for one in record.content.transfers]
        } <= found

    def test_card_closure_includes_later_creator_records(self, history):
        key = history.creator
        named = sign_record(
            Creator(key.public, 1, history.records[0].id, "New", None, "", (), 0), key
        )
        type_ = sign_record(
            CardType(
                key.public, history.type.id, 1, history.type.id, "New", "", None, (), False, ""
            ),
            key,
        )
        records = RecordSet([*history.records, named, type_])
        found = set(records.closure([history.cards[0].id]))
        assert {named, type_, history.records[0], history.type} <= found

    def test_card_closure_omits_other_cards_and_missing_records(self):
        mine, others = History(3, trades=0), History(4, trades=0)
        records = RecordSet([*mine.records, *others.records])
        found = records.closure([mine.cards[0].id, person(1).public])
        assert set(found) == {*mine.records[:2], mine.cards[0]}

    def test_trade_closure_has_conflicts_of_its_cards_givers(self):
        """A swap is dead because its other card was given twice; so the card needs those trades."""
        one, two = card(1), card(2)
        to_carol = traded(MAKER, CAROL, [slot_of(two.id)])
        before = [TYPE, one, two, to_carol]
        swap = traded(MAKER, CAROL, free(evaluate(before), one), free(evaluate(before), two))
        again = traded(CAROL, BOB, free(evaluate(before), two))
        records = RecordSet([*before, swap, again])
        found = records.closure([one.id])
        assert again in found
        assert (
            evaluate(found).holding(one.id)
            == evaluate(records).holding(one.id)
            != evaluate([*before, swap]).holding(one.id)
        )

    def test_card_closure_omits_records_of_strangers(self):
        """Otherwise anybody could make a card's history too long to be accepted."""
        one, two = card(1), card(2)
        given = traded(MAKER, ANN, [slot_of(one.id)])
        theirs = [one, two, given, traded(MAKER, BOB, [slot_of(two.id)])]
        away = CardTransfer(one.id, 0, 1, given.id, None)
        junk = [
            traded(CAROL, BOB, [away]),  # neither of them has it
            waive(given, CAROL),
            # of another card's trade
            sign_record(Waive(ANN.public, theirs[3].id), ANN),
            sign_record(Waive(BOB.public, theirs[3].id), BOB),
            # named by nobody
            *(seen(given, one, person(number), number) for number in range(20, 25)),
            # of trades that nobody knows
            *(sign_record(Waive(person(n).public, bytes([n]) * 32), person(n)) for n in (100, 101)),
        ]
        records = RecordSet([TYPE, *theirs, *junk])
        found = records.closure([one.id])
        assert not set(junk) & set(found)
        assert evaluate(found).holding(one.id) == evaluate(records).holding(one.id)

    def test_trade_closure_has_the_waives_that_it_lists(self):
        """The waived trades themselves may be known to nobody but their parties."""
        one = card(1)
        refused = waive(traded(MAKER, ANN, [slot_of(one.id)]), ANN)
        given = traded(MAKER, BOB, [slot_of(one.id)], waives=[refused])
        found = RecordSet([TYPE, one, refused, given]).closure([one.id])
        assert set(found) == {TYPE, one, refused, given}
        assert given not in RecordSet([TYPE, one, given]).closure([one.id])
