"""The store of cards: data it returns, data it deletes first, and the views of several programs on
one folder.
"""

from itertools import pairwise

import pytest

from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerStore
from protocol.errors import LocalError
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import image_digest, sign_record, waive_of
from protocol.ledger.retention import retained_ids
from protocol.ledger.trading.journal import sign_promise
from protocol.steps import finish
from tests.support.errors import raises_text
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    card,
    free,
    maker,
    slot_of,
    trade_of,
    traded,
)
from tests.support.stores import left_open
from tests.support.trading import CARDS, Book, issue


@pytest.fixture
def store(tmp_path):
    found = left_open(LedgerStore(tmp_path, ANN.public, None))
    yield found
    found.close()


def again(store, tmp_path):
    store.close()
    return left_open(LedgerStore(tmp_path, ANN.public, None))


def test_stored_records_are_read_back(store, tmp_path):
    records = issue(BOB, CAROL)
    store.add(records)
    store.add(records)
    store.add_image(b"<svg/>")
    store.mark(MAKER.public, True)
    store.mark(EVE.public, False)
    store.mark(DAN.public, True)
    store.mark(DAN.public, None)
    store.policy = "anything"
    store = again(store, tmp_path)
    assert list(store.records()) == records
    assert store.image(image_digest(b"<svg/>")) == b"<svg/>" and store.image(bytes(32)) is None
    assert store.marks() == {MAKER.public: True, EVE.public: False}
    assert (store.trust(EVE.public), store.trust(DAN.public), store.policy) == (
        False,
        None,
        "anything",
    )
    store.close()


def test_damaged_store_file_error_says_what_to_do(tmp_path):
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be looked at" * 100)
    with raises_text(LocalError, match="cannot be used"):
        left_open(LedgerStore(tmp_path, ANN.public, None))


def test_least_recently_used_records_are_deleted_first(store, tmp_path):
    for serial in range(10):
        store = again(store, tmp_path)
        store.add([maker(), TYPE, card(serial)])
    store = again(store, tmp_path)
    finish(store.use([card(0).id]))
    size = sum(len(record.raw) for record in store.records())
    assert store.evict(always=(), most=size) == 0
    gone = store.evict(always=(), most=size - 3 * len(card(0).raw))
    left = list(store.records())
    assert gone == 3 and [record for record in left if record not in (maker(), TYPE)] == [
        card(serial) for serial in (0, 4, 5, 6, 7, 8, 9)
    ]
    store.close()


def test_no_record_remains_without_its_parents(store, tmp_path):
    chain, prev = [*issue(BOB)], None
    givers = [BOB, CAROL, DAN, EVE] * 3
    prev = chain[-1].id
    for index, (giver, taker) in enumerate(pairwise(givers), 1):
        one = slot_of(CARDS[0].id, prev)
        chain.append(traded(giver, taker, [type(one)(one.instance, 0, index, prev, None)]))
        prev = chain[-1].id
    for record in chain:  # each record at a different time, the newest record used longest ago
        store = again(store, tmp_path)
        store.add([record])
    store = again(store, tmp_path)
    finish(store.use([record.id for record in chain[:4]]))
    size = sum(len(record.raw) for record in chain)
    store.evict(always=(), most=size // 2)
    left = list(store.records())
    assert left == chain[: len(left)] and len(left) < len(chain)
    store.close()


def test_own_cards_and_alarms_are_never_deleted(store):
    """Even without any room: proof of the own cards, proof against a cheat, and own signatures
    stay.
    """
    book = Book(store)
    book.add(issue(BOB, CAROL, ANN))
    store.journal.mend()
    (twice,) = free(book.view, CARDS[1])
    cheat = [traded(CAROL, other, [twice]) for other in (DAN, EVE)]
    book.add(cheat)
    store.evict(retained_ids(book.records, book.view, ANN.public), most=0)
    left = {record.id for record in store.records()}
    kept = Book(store)
    assert kept.view.holding(CARDS[2].id) == book.view.holding(CARDS[2].id)
    assert CARDS[0].id not in left and {record.id for record in cheat} <= left
    assert [alarm.key for alarm in kept.view.alarms] == [CAROL.public]


def test_waive_freeing_a_card_is_never_deleted(store):
    """A waive of a trade that was signed here: without it the next trade of the card would look
    like a double spend.
    """
    book = Book(store)
    book.add(issue(ANN))
    store.journal.mend()
    promised = sign_promise(ANN, trade_of(ANN, BOB, free(book.view, CARDS[0])))
    store.journal.sign_once(promised)
    waived = sign_record(waive_of(promised.trade, BOB.public), BOB)
    book.add([waived])
    store.evict(always=(), most=0)
    assert waived in list(store.records())


def test_images_are_deleted_with_their_records(store):
    images = [b"one", b"two"]
    types = [
        sign_record(
            CardType(MAKER.public, None, 0, None, "A", "", image_digest(one), (), True, ""), MAKER
        )
        for one in images
    ]
    store.add(types)
    for one in images:
        store.add_image(one)
    store.evict(always=[types[0].id], most=0)
    assert [store.image(image_digest(one)) for one in images] == [b"one", None]


def test_store_changes_are_visible_to_other_programs(store, tmp_path):
    other = left_open(LedgerStore(tmp_path, ANN.public, None))
    store.mark(BOB.public, True)
    store.add([maker()])
    assert other.trust(BOB.public) and list(other.records()) == [maker()]
    other.close()
