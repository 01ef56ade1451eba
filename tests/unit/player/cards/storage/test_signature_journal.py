"""The signature journal after a power cut: every signature that was sent is on disk, and a torn end
loses only unsent ones.
"""

import shutil
from random import Random

import pytest

from player.cards.storage.database import FILE
from protocol.ledger.record_codec import read_content
from protocol.ledger.records import content_id, sign_content
from protocol.ledger.trading import events
from protocol.ledger.trading.journal import sign_promise
from protocol.ledger.trading.messages import decode
from tests.support.ledger import ANN, BOB, CAROL, trade_of
from tests.support.trading import CARDS, Pair, Person, two


def copies_of_a_trade(path):
    """Return, for each signature that leaves the folder, a copy of the folder at that moment and
    the signature.
    """
    people, found = two(path / "people", marks=True), []
    pair = Pair(*(person.meet(other.me.public) for person, other in (people, people[::-1])))

    def look(number, payload):
        said = decode(payload)
        if said.name in ("sign", "counter", "waive"):
            copy = path / f"copy {len(found)}"
            shutil.copytree(people[number].folder, copy)
            trade = said.values[0] if said.name == "counter" else read_content(said.values[0])
            found.append(
                (
                    people[number].me,
                    copy,
                    said.name,
                    trade if said.name == "counter" else content_id(trade),
                )
            )

    def deliver():
        moved = True
        while moved:
            before = [len(sent) for sent in pair.sent]
            moved = pair.step(0) | pair.step(1)
            for number, sent in enumerate(pair.sent):
                for payload in sent[before[number] :]:
                    look(number, payload)

    deliver()
    for side, card in zip(pair.sides, (CARDS[0], CARDS[2]), strict=True):
        side.offer([card.id])
    deliver()
    pair.sides[0].propose()
    deliver()
    trade = pair.last(0, events.TradeProposed).terms.id
    for side in pair.sides:
        side.sign(trade)
    deliver()
    return found


@pytest.mark.slow
def test_signature_is_on_disk_before_it_leaves(tmp_path):
    found = copies_of_a_trade(tmp_path)
    assert [name for _, _, name, _ in found] == ["sign", "counter"]
    for me, copy, name, trade in found:
        person = Person(me, copy, tmp_path / "people" / "marks")
        promised = person.journal.promise_of(trade)
        assert promised is not None and not person.journal.is_outdated()
        assert (
            (promised.partner_signature is not None)
            == (name == "counter")
            == (person.book.find(trade) is not None)
        )
        person.stop()


@pytest.mark.slow
def test_torn_end_loses_no_more_than_last_write(tmp_path):
    """SQLite's log is cut anywhere: every complete promise is there, and the file can be used
    further.
    """
    ann, _ = two(tmp_path / "people")
    log = ann.folder / f"{FILE}-wal"
    sizes = [(0, 0)]
    for partner in (BOB, CAROL):
        for card in CARDS[:2]:
            transfer = ann.book.view.next_transfer(card.id, 0)
            trade = trade_of(ANN, partner, [transfer])
            theirs = sign_content(partner, trade) if partner is CAROL else None
            ann.journal.sign_once(sign_promise(ANN, trade, theirs), warned=True)
            sizes.append((log.stat().st_size, ann.journal.standing().made))
    rng = Random(7)
    ends = [size for size, _ in sizes]
    for number, cut in enumerate(
        sorted({*ends, *(end + 1 for end in ends), *rng.choices(range(ends[-1]), k=12)})
    ):
        copy = tmp_path / str(number)
        shutil.copytree(ann.folder, copy)
        with (copy / log.name).open("r+b") as file:
            file.truncate(cut)
        person = Person(ANN, copy)
        assert person.journal.standing().made >= max(made for size, made in sizes if size <= cut)
        person.stop()
