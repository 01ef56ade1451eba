"""Records brought by others: complete ones are kept, and so is every proof against a cheat, even
without the records on which it rests.
"""

from contextlib import closing

import pytest

from player.cards.card_verification import verify_records
from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from protocol.errors import LocalError
from protocol.ledger.pictures import PictureCheck
from protocol.ledger.record_contents import CardType
from protocol.ledger.records import image_digest, sign_record
from protocol.limits import MAX_CARD_IMAGE, MAX_LEDGER_STORED, MAX_ORPHANS
from tests.properties.ledger.growth import chain
from tests.support.errors import raises_text
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


FACE = b"a picture"
PAINTED = sign_record(
    CardType(
        MAKER.public, None, 0, None, "Toad", "First", image_digest(FACE), (("fire", 3),), True, ""
    ),
    MAKER,
)


def test_changed_picture_is_said_and_spares_the_records(tmp_path):
    mine = collection(tmp_path)
    with closing(mine.store):
        taken = mine.take([TYPE.raw, PAINTED.raw], [b"a pikture"])
        assert taken.pictures == PictureCheck((1,), ("Toad",))
        assert set(taken.new) == {TYPE, PAINTED}
        assert mine.take([PAINTED.raw], [FACE]).pictures == PictureCheck()
        assert mine.image(image_digest(FACE)) == FACE


def test_picture_of_a_record_that_waits_is_not_called_changed(tmp_path):
    later = CardType(
        MAKER.public,
        TYPE.id,
        1,
        TYPE.id,
        "Toad",
        "First",
        image_digest(FACE),
        (("fire", 3),),
        True,
        "",
    )
    mine = collection(tmp_path)
    with closing(mine.store):
        taken = mine.take([sign_record(later, MAKER).raw], [FACE])
        assert taken.waiting == 1 and taken.pictures == PictureCheck()


def test_picture_that_changed_on_disk_counts_as_missing(tmp_path):
    mine = collection(tmp_path)
    with closing(mine.store):
        mine.take([PAINTED.raw], [FACE])
        mine.store._database.run("UPDATE images SET data = ?", b"a pikture")
        assert mine.image(image_digest(FACE)) is None


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


@pytest.mark.slow
def test_verification_of_too_many_orphans_says_so():
    with raises_text(LocalError, "More than 10000 records"):
        verify_records(record.raw for record in chain(MAX_ORPHANS + 10)[5:])
