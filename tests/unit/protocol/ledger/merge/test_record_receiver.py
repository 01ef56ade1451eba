"""Records that a merge takes in: requested, checked, parents first, and few from strangers."""

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.merge.record_receiver import RecordReceiver
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.limits import MAX_UNTRUSTED, MERGE_WANTS
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, slot_of, traded

CARD = card(1)
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
NEXT = traded(ANN, BOB, [slot_of(CARD.id, FIRST.id)])
CHAIN = [TYPE, CARD, FIRST, NEXT]


def short(name: bytes) -> bytes:
    return name[:8]


def receiver(
    *known: LedgerRecord, inside: tuple[bytes, ...] = (), trusted: bool = True
) -> RecordReceiver:
    return RecordReceiver(RecordSet(known), short, inside, lambda _: trusted)


def asked(it: RecordReceiver, *records: LedgerRecord) -> RecordReceiver:
    """Request records, and let the other side send them in this order."""
    it.request(short(record.id) for record in records)
    it.next_request()
    for record in records:
        it.take(record.raw)
    return it


def ids(records: list[LedgerRecord]) -> list[bytes]:
    return [record.id for record in records]


def test_record_not_asked_for_is_refused():
    it = receiver()
    with pytest.raises(RemoteError) as raised:
        it.take(TYPE.raw)
    assert raised.value.code is Code.BAD_MESSAGE


def test_record_sent_twice_is_refused():
    it = asked(receiver(), TYPE)
    with pytest.raises(RemoteError) as raised:
        it.take(TYPE.raw)
    assert raised.value.code is Code.BAD_MESSAGE


def test_record_with_a_false_signature_is_refused():
    it = receiver()
    it.request([short(TYPE.id)])
    it.next_request()
    with pytest.raises(RemoteError) as raised:
        it.take(TYPE.raw[:-1] + bytes([TYPE.raw[-1] ^ 1]))
    assert raised.value.code is Code.BAD_SIGNATURE
    assert it.received_records() == []


def test_records_are_released_after_their_parents():
    it = asked(receiver(), *CHAIN)
    assert ids(it.ready_records()) == ids(CHAIN)
    assert it.ready_records() == []
    assert it.final_records() == [] and not it.partial


def test_records_before_their_parents_wait_to_the_end():
    it = asked(receiver(), *reversed(CHAIN))
    assert ids(it.ready_records()) == [TYPE.id]
    assert ids(it.final_records()) == ids(CHAIN[1:])


def test_record_without_parents_is_dropped_at_the_end():
    it = asked(receiver(TYPE), NEXT)
    assert it.ready_records() == [] and it.final_records() == []
    assert it.partial


def test_cheat_is_released_without_its_parents():
    it = asked(receiver(TYPE), NEXT)
    it.ready_records()
    assert ids(it.final_records([NEXT])) == [NEXT.id]


def test_known_record_is_not_released_again():
    it = asked(receiver(TYPE), TYPE)
    assert it.ready_records() == [] and it.received_records() == []


def test_requests_are_split_and_unanswered_ones_given_up():
    it = receiver()
    it.request(number.to_bytes(8, "big") for number in range(MERGE_WANTS + 1))
    first = it.next_request()
    assert len(first) == MERGE_WANTS and first[0] == bytes(8) and not it.partial
    assert it.next_request() == [MERGE_WANTS.to_bytes(8, "big")]
    assert it.partial


@pytest.mark.slow
@pytest.mark.parametrize(("inside", "more"), [(False, 0), (True, 2)])
def test_stranger_has_a_bounded_share_beside_what_is_wanted(inside, more):
    # the type is one of the creator's records too
    cards = [card(serial) for serial in range(1, MAX_UNTRUSTED + 2)]
    wanted = tuple(one.id for one in cards[-2:]) if inside else ()
    it = asked(receiver(inside=wanted, trusted=False), TYPE, *cards)
    assert len(it.ready_records()) == MAX_UNTRUSTED
    assert len(it.final_records()) == more
    assert it.partial is not inside


@pytest.mark.slow
def test_trusted_creator_has_no_such_bound():
    cards = [card(serial) for serial in range(1, MAX_UNTRUSTED + 2)]
    it = asked(receiver(trusted=True), TYPE, *cards)
    assert len(it.ready_records()) == MAX_UNTRUSTED + 2
