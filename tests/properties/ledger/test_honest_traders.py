"""Three honest people trade for a while with broken lines, crashed programs and folders restored
from a backup.
"""

import shutil
from random import Random

import pytest

from protocol.errors import LocalError
from protocol.ledger.trading import events
from protocol.ledger.view import evaluate
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, maker
from tests.support.trading import CARDS, Pair, Person, issue

OWNERS = (ANN, ANN, BOB, BOB, CAROL, CAROL)


class Crowd:
    def __init__(self, path, seed):
        self.rng, self.finished, self.doubts = Random(seed), 0, 0
        self.people = [
            Person(one, path / one.public.hex()[:4], path / "marks", seed)
            for one in (ANN, BOB, CAROL)
        ]
        self.copies = {}
        for person in self.people:
            person.book.add([maker(), TYPE, *CARDS, *issue(*OWNERS)[2 + len(OWNERS) :]])
            person.journal.mend()

    def meet(self):
        """Let two people trade until the line breaks or both have nothing to say; then each may
        lose more than the line.
        """
        one, other = self.rng.sample(self.people, 2)
        pair = Pair(one.meet(other.me.public), other.meet(one.me.public))
        steps = self.rng.choice([5, 20, 40, 80, 400])
        for _ in range(steps):
            if not (pair.step(0) | pair.step(1)) and not self.press(pair, (one, other)):
                break
        self.finished += sum(isinstance(event, events.TradeFinished) for event in pair.told[0])
        for person in (one, other):
            self.lose(person)

    def press(self, pair, people):
        """Let one of the two act; nobody trades a reserved card. Return False when they give up."""
        number = self.rng.randrange(2)
        side, person = pair.sides[number], people[number]
        asked = [
            e.terms.id
            for e in pair.told[number]
            if isinstance(e, events.TradeProposed | events.SignatureReceived)
        ][-2:]
        own = person.book.view.held_by(person.me.public)
        acts = [
            side.propose,
            side.propose,
            lambda: side.offer(self.rng.sample(own, min(len(own), 2))),
        ]
        acts += [lambda trade=trade: side.sign(trade) for trade in asked] * 2
        acts += [lambda trade=trade: side.reject(trade) for trade in asked[:1]]
        try:
            self.rng.choice(acts)()
        except LocalError:
            return self.rng.random() < 0.9
        return True

    def lose(self, person):
        """Lose a person's memory always, and now and then restore an older copy of the folder."""
        copy = person.folder.with_suffix(".copy")
        person.stop()
        if self.rng.random() < 0.15 and copy.exists():
            shutil.rmtree(person.folder)
            shutil.copytree(copy, person.folder)
        elif self.rng.random() < 0.3:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(person.folder, copy)
        person.start()
        self.doubts += person.journal.is_outdated()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_honest_traders_are_never_named(tmp_path, seed):
    """In the view of all records there is no alarm, and each card has one owner."""
    crowd = Crowd(tmp_path, seed)
    for _ in range(40):
        crowd.meet()
    everything = {record.id: record for person in crowd.people for record in person.book.records}
    all_seen = evaluate(everything.values())
    assert all_seen.alarms == ()
    owned = [card for person in crowd.people for card in all_seen.held_by(person.me.public)]
    assert sorted(owned) == sorted(card.id for card in CARDS) and not all_seen.held_by(MAKER.public)
    assert not any(all_seen.holding(card.id).burnt for card in CARDS)
    assert crowd.finished
    for person in crowd.people:
        person.stop()
