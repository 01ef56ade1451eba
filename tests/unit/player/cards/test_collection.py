"""Records brought by others: complete ones are kept, and so is every proof against a cheat, even
without the records on which it rests.
"""

from contextlib import closing

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from protocol.limits import MAX_CARD_IMAGE, MAX_LEDGER_STORED
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, slot_of, traded
from tests.support.merging import SALT, converse
from tests.support.stores import left_open

ONE = card(1)
TWICE = [traded(MAKER, who, [slot_of(ONE.id)]) for who in (BOB, CAROL)]


def collection(folder):
    return Collection(left_open(LedgerStore(folder, ANN.public, None)), ANN.public)


def test_collection_keeps_and_forwards_file_with_only_an_alarm(tmp_path):
    mine = collection(tmp_path / "a")
    with closing(mine.store):
        taken = mine.take(record.raw for record in TWICE)
        assert set(taken.new) == set(TWICE) and taken.waiting == 0
    mine = collection(tmp_path / "a")
    other = collection(tmp_path / "b")
    with closing(mine.store), closing(other.store):
        assert [one.key for one in mine.view.alarms] == [MAKER.public]
        other.add(converse(mine.merge(SALT, True, []), other.merge(SALT, False, [])).news[1])
        assert [one.key for one in other.view.alarms] == [MAKER.public]
        assert mine.take([TYPE.raw, ONE.raw]).waiting == 0
        assert mine.view.holding(ONE.id).burnt and not mine.records.orphans


def test_record_without_parents_and_alarm_waits(tmp_path):
    mine = collection(tmp_path)
    with closing(mine.store):
        taken = mine.take([TWICE[0].raw])
        assert taken.new == () and taken.waiting == 1
        assert not list(mine.store.records())


def test_second_half_of_an_alarm_completes_it(tmp_path):
    mine = collection(tmp_path)
    with closing(mine.store):
        mine.add([TYPE, ONE, TWICE[0]])
        assert mine.take([TWICE[1].raw]).new == (TWICE[1],)
        assert [one.key for one in mine.view.alarms] == [MAKER.public]


def test_store_above_its_bound_is_tidied_when_it_is_opened(tmp_path):
    mine = collection(tmp_path)
    with closing(mine.store):
        mine.add([TYPE, *TWICE])
        for number in range(MAX_LEDGER_STORED // MAX_CARD_IMAGE):
            face = number.to_bytes(4, "big") + bytes(MAX_CARD_IMAGE - 4)
            kind = CardType(
                MAKER.public, None, 0, None, str(number), "", image_digest(face), (), True, ""
            )
            mine.take([sign_record(kind, MAKER).raw], [face])
    again = collection(tmp_path)
    with closing(again.store):
        assert again.store.size() <= MAX_LEDGER_STORED
        assert len(again.view.alarms) == 1
        assert set(again.records.ids()) == {record.id for record in again.store.records()}
