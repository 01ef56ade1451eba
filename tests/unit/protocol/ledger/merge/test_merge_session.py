"""Merge of two sets: any subsets become equal, nothing known is sent, and parents come first."""

from random import Random

import pytest

from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_contents import Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.view import evaluate
from protocol.limits import MERGE_LIST
from tests.properties.ledger.histories import History as Cheated
from tests.support.histories import History
from tests.support.ledger import same
from tests.support.merging import SALT, converse, merged


@pytest.fixture(scope="module")
def history():
    return History(1, cards=30, people=5, trades=60, spends=3)


def part(records, rng, share):
    """Return a set with some of the records, and all their ancestors."""
    kept = RecordSet(records)
    return RecordSet(kept.closure([record.id for record in records if rng.random() < share]))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.slow
def test_merge_makes_sets_equal_and_sends_nothing_known(history, seed):
    rng = Random(seed)
    left, right = (part(history.records, rng, rng.choice((0, 0.02, 0.3, 0.9, 1))) for _ in range(2))
    held = {record.id for record in left}, {record.id for record in right}
    course = merged(left, right)
    assert list(left) == list(right)
    assert {record.id for record in course.news[0]} == held[1] - held[0]
    assert {record.id for record in course.news[1]} == held[0] - held[1]
    assert course.turns <= 9


def test_equal_sets_end_in_one_round_and_under_200_bytes(history):
    left, right = RecordSet(history.records), RecordSet(history.records)
    course = merged(left, right)
    assert (course.turns, course.names) == (2, ["ranges", "ranges", "turn", "turn"])
    assert course.bytes < 200


def test_merge_of_two_empty_sets_ends():
    course = merged(RecordSet(), RecordSet())
    assert course.turns == 2 and course.news == ([], [])


@pytest.mark.slow
def test_merge_order_repetition_and_caller_make_no_difference(history):
    rng = Random(5)
    spread = [rng.sample(history.records, len(history.records) // 2) for _ in range(4)]
    whole = evaluate([one for records in spread for one in records])
    for seed in range(4):
        people = [
            RecordSet(RecordSet(history.records).closure([one.id for one in records]))
            for records in spread
        ]
        order = [(0, 1), (2, 3), (1, 2), (3, 0), (1, 3), (0, 2)] * 2
        Random(seed).shuffle(order)
        for left, right in [*order, (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (0, 3)]:
            merged(people[left], people[right])
        assert len({tuple(record.id for record in records) for records in people}) == 1
        assert same(evaluate(people[0]), evaluate(people[1]))
        assert len(evaluate(people[0]).alarms) >= len(whole.alarms) > 0


def test_predecessor_known_as_inner_node_is_not_resent():
    """The thesis's algorithm stops at heads and would send Ann's whole history again
    (docs/decisions, 0056).
    """
    history = History(2, cards=4, people=3, trades=60, spends=0)
    ann = RecordSet(history.records)
    trunk = list(history.records)
    history.trade()
    bob = RecordSet([*trunk[:-20], history.records[0]])
    bob_only = History(3, cards=2, people=3, trades=4, spends=0)
    for record in bob_only.records:
        bob.add(record)
    course = merged(ann, bob)
    assert {one.id for one in course.news[1]} == {one.id for one in trunk[-20:]}
    assert {one.id for one in course.news[0]} == {one.id for one in bob_only.records}
    assert course.names.count("records") == 2


@pytest.mark.slow
def test_merge_cost_is_proportional_to_differences():
    history = History(4, cards=1000, people=3, trades=0)
    left, right = RecordSet(history.records), RecordSet(history.records)
    history.trade()
    right.add(history.records[-1])
    course = merged(left, right)
    assert course.bytes < 3 * 1024 and course.turns <= 8
    assert course.news == ([history.records[-1]], [])


def test_merge_for_offered_cards_sends_only_their_records():
    mine, other = History(5, cards=3, trades=6), History(6, cards=3, trades=6)
    ann, bob = RecordSet([*mine.records, *other.records]), RecordSet()
    card = mine.cards[0].id
    course = converse(MergeSession(ann, SALT, True, [card]), MergeSession(bob, SALT, False, [card]))
    assert course.news[1] == list(ann.closure([card])) and course.news[0] == []


def test_extra_records_of_other_side_are_not_resent():
    history = History(5, cards=3, trades=6)
    ann, bob = RecordSet(history.records), RecordSet(history.records[:-1])
    card = history.records[-1].content.transfers[0].instance
    course = converse(MergeSession(ann, SALT, True, [card]), MergeSession(bob, SALT, False, []))
    assert course.news == ([], [history.records[-1]])


def test_alarms_are_sent_to_all_without_parents():
    history = History(7, cards=2, people=4, trades=4, spends=1)
    ann, alarms = RecordSet(history.records), evaluate(history.records).alarms
    assert len(alarms) == 1
    for knows in ((), (alarms[0].first,), history.records[:-2]):
        bob = RecordSet(knows)
        course = converse(
            MergeSession(ann, SALT, True, [], alarms=alarms),
            MergeSession(bob, SALT, False, [], alarms=evaluate(knows).alarms),
        )
        for record in course.news[1]:
            assert isinstance(record.content, Trade) and bob.add(record)
        told = evaluate([*knows, *bob, *bob.orphans]).alarms
        assert [one.key for one in told] == [alarms[0].key]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_double_spend_raises_one_alarm_in_any_merge_order(seed):
    history = History(10 + seed, cards=6, people=5, trades=10, spends=1)
    trades = [record for record in history.records if isinstance(record.content, Trade)]
    (alarm,) = evaluate(history.records).alarms
    doubled = {alarm.first.id, alarm.second.id}
    whole = RecordSet(history.records)
    shown = [
        whole.closure([record.id for record in trades if record.id not in doubled - {which}])
        for which in sorted(doubled)
    ]
    views = []
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)):
        people = [
            RecordSet(without(records, doubled - {keep}))
            for records, keep in zip(shown, sorted(doubled), strict=True)
        ]
        people.append(RecordSet())
        for one in order:
            for other in order:
                if one != other:
                    merged(people[one], people[other])
        views += [evaluate(records) for records in people]
    assert all(same(one, views[0]) for one in views)
    assert (
        [one.key for one in views[0].alarms]
        == [alarm.key]
        == [one.key for one in evaluate([alarm.first, alarm.second]).alarms]
    )


def without(records, names):
    """Return the records that do not depend on any of these."""
    kept = RecordSet()
    for record in records:
        if record.id not in names and not kept.missing(record):
            kept.add(record)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_closure_has_every_record_of_its_card(seed):
    """Whatever cheats and witnesses did, the closure has every record that decides the card's
    owner.
    """
    records = RecordSet(Cheated(seed).all.values())
    whole = evaluate(records)
    for card in whole.instances:
        assert evaluate(records.closure([card])).holding(card) == whole.holding(card)


def test_lists_and_ranges_are_compared_around_their_border():
    history = History(8, cards=2 * MERGE_LIST, trades=0)
    for size in (MERGE_LIST - 1, MERGE_LIST, MERGE_LIST + 1):
        for caller in range(2):
            sets = RecordSet(history.records[:size]), RecordSet(history.records[: size + 1])
            merged(sets[caller], sets[1 - caller])
            assert list(sets[0]) == list(sets[1])


def test_record_that_is_not_listed_comes_once_in_vain(history):
    left, right = RecordSet(history.records), RecordSet(history.records)
    card = next(one.id for one in history.records if isinstance(one.content, Trade))
    kind = history.type.id
    course = converse(
        MergeSession(left, SALT, True, [card, kind]), MergeSession(right, SALT, False, [kind])
    )
    assert course.names.count("records") == 1
    assert course.news == ([], [])
