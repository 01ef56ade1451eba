"""An old copy of the data folder is detected before it signs: by an external mark, by partners'
records, or by returning trades.
"""

import shutil
import sqlite3

import pytest

from player.cards.storage.database import FILE
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from protocol.ledger.records import sign_content
from protocol.ledger.trading import events
from protocol.ledger.trading.journal import (
    JournalCount,
    JournalRefusal,
    check_standing,
    sign_promise,
    sign_standing,
)
from protocol.wire import encode
from tests.support.errors import raises_text
from tests.support.ledger import ANN, BOB, CAROL, TYPE, seen, trade_of
from tests.support.trading import CARDS, Pair, Person, issue, two

OLD = "an old copy"


def gives(person, card, to):
    """Make a finished trade that gives this card away, as a countersigned promise."""
    trade = trade_of(person.me, to, [person.book.view.next_transfer(card.id, 0)])
    return sign_promise(person.me, trade, sign_content(to, trade))


def backup(person, name="backup"):
    """Copy the data folder, as its owner does for a backup."""
    person.stop()
    copy = person.folder.with_name(name)
    shutil.copytree(person.folder, copy)
    person.start()
    return copy


def put_back(person, copy):
    """Replace the folder by the copy."""
    person.stop()
    shutil.rmtree(person.folder)
    shutil.copytree(copy, person.folder)
    person.start()


def refused(person, card=CARDS[0], to=CAROL):
    """Return whether no trade can be signed."""
    assert person.journal.is_outdated()
    with raises_text(JournalRefusal, match=OLD):
        person.journal.sign_once(gives(person, card, to))
    return True


@pytest.fixture
def pair(tmp_path):
    return two(tmp_path, marks=True)


def test_rollback_is_noticed_by_outside_mark_and_repaired(pair):
    ann, _ = pair
    copy = backup(ann)
    signed = gives(ann, CARDS[0], BOB)
    ann.journal.sign_once(signed)
    put_back(ann, copy)
    assert refused(ann)
    ann.book.add([signed.finished(signed.partner_signature)])
    assert not ann.journal.is_outdated(), "all that was signed is there again"
    ann.journal.sign_once(gives(ann, CARDS[1], CAROL))


def test_rollback_stays_blocked_until_all_records_return(pair):
    ann, _ = pair
    copy = backup(ann)
    first, second = gives(ann, CARDS[0], BOB), gives(ann, CARDS[1], CAROL)
    for signed in (first, second):
        ann.journal.sign_once(signed)
    put_back(ann, copy)
    ann.book.add([first.finished(first.partner_signature)])
    assert refused(ann, CARDS[1])
    ann.book.add([second.finished(second.partner_signature)])
    assert not ann.journal.is_outdated()


def test_rollback_is_noticed_by_a_running_program(pair):
    """Two folders of one key on one computer: the older one signs nothing."""
    ann, _ = pair
    copy = backup(ann)
    other = Person(ANN, copy, ann.marks)
    assert not other.journal.is_outdated()
    ann.journal.sign_once(gives(ann, CARDS[0], BOB))
    with raises_text(JournalRefusal, match=OLD):
        other.journal.sign_once(gives(other, CARDS[0], CAROL))


def test_lost_folder_is_not_silently_created_again(pair):
    ann, _ = pair
    ann.journal.sign_once(gives(ann, CARDS[0], BOB))
    ann.stop()
    shutil.rmtree(ann.folder)
    ann.start()
    assert ann.journal.is_outdated() and ann.journal.standing().made == 0


def test_folder_moved_to_another_computer_asks_first(pair, tmp_path):
    """The folder's mark stayed behind: only the person knows whether this is the newest copy."""
    ann, _ = pair
    ann.journal.sign_once(gives(ann, CARDS[1], BOB))
    moved = Person(ANN, backup(ann), tmp_path / "other computer")
    assert refused(moved)
    moved.journal.mend()
    moved.journal.sign_once(gives(moved, CARDS[0], CAROL))
    moved.stop()
    moved.start()
    assert not moved.journal.is_outdated()


def meet(ann, bob):
    return Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()


def test_partner_statement_reveals_rollback(tmp_path):
    """Without a mark: Bob shows Ann her own signed statement, which counts more signatures than her
    copy has.
    """
    ann, bob = two(tmp_path)
    copy = backup(ann)
    signed = gives(ann, CARDS[0], CAROL)
    ann.journal.sign_once(signed)
    meet(ann, bob)
    put_back(ann, copy)
    assert not ann.journal.is_outdated()
    session = meet(ann, bob)
    assert any(isinstance(event, events.JournalOutdated) for event in session.told[0]) and refused(
        ann, to=BOB
    )
    ann.book.add([signed.finished(signed.partner_signature)])
    assert not ann.journal.is_outdated()


def test_journal_statement_is_accepted_only_from_its_owner():
    word = sign_standing(ANN, JournalCount(7, bytes(32)))
    check_standing(ANN.public, word)
    for key, bad in (
        (BOB.public, word),
        (ANN.public, word._replace(made=8)),
        (ANN.public, word._replace(digest=bytes(31) + b"x")),
    ):
        with pytest.raises(Exception, match="signature"):
            check_standing(key, bad)


def test_rollback_is_noticed_when_finished_trade_returns(tmp_path):
    """Without a mark, and without a partner's statement: the partner shows the finished trade."""
    ann, bob = two(tmp_path)
    copy = backup(ann)
    session = meet(ann, bob)
    session.sides[0].offer([CARDS[0].id])
    session.run().sides[0].propose()
    session.run()
    for side in session.sides:
        side.sign(session.last(0, events.TradeProposed).terms.id)
    session.run()
    put_back(ann, copy)
    session = meet(ann, bob)
    session.sides[0].offer([CARDS[0].id])
    session.run()
    assert refused(ann, CARDS[1]) and bob.owns(CARDS[0])
    with pytest.raises(LocalError):
        session.sides[0].propose()


def test_abandoned_trade_is_not_requested_and_counts_if_it_arrives(pair):
    ann, _ = pair
    copy = backup(ann)
    lost = gives(ann, CARDS[0], CAROL)
    ann.journal.sign_once(lost)
    before = ann.journal.standing()
    put_back(ann, copy)
    ann.journal.mend()
    assert not ann.journal.is_outdated() and ann.journal.standing().made == before.made
    ann.journal.sign_once(gives(ann, CARDS[1], BOB))
    ann.book.add([lost.finished(lost.partner_signature)])
    assert not ann.journal.is_outdated() and ann.journal.standing().made == before.made + 1


def test_power_cut_before_mark_is_no_rollback(pair):
    """The mark is written last: a mark that lags behind the folder proves nothing."""
    ann, _ = pair
    mark = ann.marks / f"{fingerprint(ANN.public)}.json"
    earlier = mark.read_bytes()
    ann.journal.sign_once(gives(ann, CARDS[0], BOB))
    mark.write_bytes(earlier)
    ann.stop()
    ann.start()
    assert not ann.journal.is_outdated()
    ann.journal.sign_once(gives(ann, CARDS[1], BOB))
    assert mark.read_bytes() != earlier


def test_journal_database_has_right_place_and_permissions(pair):
    ann, _ = pair
    assert (ann.folder / FILE).stat().st_mode & 0o777 == 0o600


def test_copy_with_as_many_signatures_is_noticed(tmp_path):
    """Two copies of one folder sign one trade each: the numbers are equal, the digests are not."""
    ann, bob = two(tmp_path)
    copy = backup(ann)
    ann.journal.sign_once(gives(ann, CARDS[0], CAROL))
    meet(ann, bob)
    put_back(ann, copy)
    ann.journal.sign_once(gives(ann, CARDS[1], CAROL))
    assert not ann.journal.is_outdated()
    session = meet(ann, bob)
    assert ann.journal.is_outdated()
    assert any(isinstance(event, events.JournalOutdated) for event in session.told[0])


def test_standing_of_an_earlier_day_is_known_again(tmp_path):
    ann, bob = two(tmp_path)
    meet(ann, bob)
    for card, to in ((CARDS[0], CAROL), (CARDS[1], CAROL)):
        ann.journal.sign_once(gives(ann, card, to))
        meet(ann, bob)
        earlier = ann.journal.standing()
        assert not ann.journal.is_outdated()
    ann.journal.record_proven_count(earlier)
    assert not ann.journal.is_outdated()


def test_folder_of_the_version_before_opens(tmp_path):
    """Old trades cannot be read any more: the cards are their creator's again, and the number of
    signatures stays.
    """
    connection = sqlite3.connect(tmp_path / FILE)
    connection.executescript(OLD_SCHEMA)
    old = [1, "waive", ANN.public, bytes(32), []]
    rows = [(CARDS[0].id, CARDS[0].raw), (b"w" * 32, encode([encode(old), bytes(64)]))]
    rows += [(one.id, one.raw) for one in (TYPE, seen(issue(ANN)[-1], CARDS[0], BOB))]
    connection.executemany("INSERT INTO records (id, raw, used) VALUES (?, ?, 0)", rows)
    connection.execute("INSERT INTO waives VALUES (?, ?)", (bytes(32), rows[1][1]))
    connection.commit()
    connection.close()
    ann = Person(ANN, tmp_path, tmp_path / "marks")
    assert [one.id for one in ann.book.records.orphans] == []
    assert {one.id for one in ann.book.records} == {CARDS[0].id, TYPE.id}
    assert ann.journal.standing().made == 1
    assert not ann.journal.is_outdated()
    ann.stop()
    ann.start()
    assert ann.journal.standing().made == 1
    ann.stop()


OLD_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE records (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, raw BLOB NOT NULL,
    used INTEGER NOT NULL
);
CREATE TABLE promises (
    number INTEGER PRIMARY KEY AUTOINCREMENT, trade BLOB NOT NULL UNIQUE, content BLOB NOT NULL,
    mine BLOB NOT NULL, theirs BLOB, released INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE slots (slot BLOB NOT NULL, trade BLOB NOT NULL, PRIMARY KEY (slot, trade));
CREATE TABLE waives (trade BLOB PRIMARY KEY, raw BLOB NOT NULL);
CREATE TABLE met (key BLOB PRIMARY KEY, count INTEGER NOT NULL, signature BLOB NOT NULL);
"""
