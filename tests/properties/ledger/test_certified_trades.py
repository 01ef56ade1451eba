"""Certified trades never fall, whatever cheats hide and in whatever order people ask."""

from collections import Counter
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import Attestation, CardType, Creator, Instance, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from protocol.ledger.witness.witness import Witness
from tests.support.ledger import ANN, BOB, CAROL, DAN, EVE, traded, waive

# in seed 39 a certified trade falls if a witness signs over one that may still hold
SEEDS, STEPS = (39, *range(5)), 90
PEOPLE, CHEATS = (ANN, BOB, CAROL, DAN, EVE), (DAN, EVE)
MAKERS = tuple(Identity(bytes([100 + number]) * 32) for number in range(3))
WITNESSES = tuple(
    sorted(
        (Identity(bytes([120 + number]) * 32) for number in range(5)), key=lambda one: one.public
    )
)
# witnesses for the cards of each creator, and their quorum
NAMED = ((WITNESSES[:1], 1), (WITNESSES[1:], 3), ((), 0))


def ground():
    """Make three creators with cards for everybody: one has a witness, one a quorum of three of
    four, one has none.
    """
    made, cards = [], []
    for maker, (witnesses, quorum) in zip(MAKERS, NAMED, strict=True):
        keys = tuple(one.public for one in witnesses)
        made.append(
            sign_record(Creator(maker.public, 0, None, "Maker", None, "", keys, quorum), maker)
        )
        kind = sign_record(
            CardType(maker.public, None, 0, None, "Newt", "", None, (), True, ""), maker
        )
        cards += [
            sign_record(Instance(maker.public, kind.id, serial, bytes(16)), maker)
            for serial in range(4 if quorum else 1)
        ]
        made.append(kind)
    return [*made, *cards], cards


GROUND, CARDS = ground()
BY_KEY = {one.public: one for one in (*PEOPLE, *MAKERS)}


class History:
    """History of people who know different records, trade, cheat, and ask the witnesses in
    reach.
    """

    def __init__(self, seed):
        self.rng = Random(seed)
        self.known = {key: list(GROUND) for key in BY_KEY}
        self.all = list(GROUND)
        self.witnesses = {one.public: Witness(one) for one in WITNESSES}
        self.walls = set()
        self.over = 0
        self.refused = Counter()
        for one in CARDS:  # everybody begins with some cards
            maker = BY_KEY[one.content.creator]
            taker = self.rng.choice(PEOPLE)
            self._learn(tuple(BY_KEY.values()), [traded(maker, taker, self._only(one))])

    def step(self):
        self.rng.choice(
            (self.trade, self.trade, self.ask, self.ask, self.ask, self.tell, self.deny)
        )()

    def trade(self):
        """Let a person give cards that they own as far as they know; a cheat knows only what suits
        it.
        """
        giver, taker = self.rng.sample(PEOPLE, 2)
        known = self.known[giver.public]
        if giver in CHEATS and self.rng.random() < 0.7:  # as if the cards had never been given away
            mine = [
                one
                for one in known
                if isinstance(one.content, Trade) and giver.public in (one.content.a, one.content.b)
            ]
            gone = {
                one.id
                for one in mine
                if any(one.content.giver(each) == giver.public for each in one.content.transfers)
            }
            known = [one for one in known if one.id not in gone]
        seen = evaluate(known)
        gives = self._free(seen, giver)
        takes = self._free(seen, taker) if self.rng.random() < 0.5 else []
        if gives or takes:
            made = traded(giver, taker, gives, takes)
            self.over += any(one.over is not None for one in made.content.transfers)
            self._learn((giver, taker), [made])

    def _only(self, one):
        return [evaluate(GROUND).next_transfer(one.id, 0)]

    def _free(self, seen, who):
        held = list(seen.held_by(who.public))
        found = []
        for card in self.rng.sample(held, min(len(held), self.rng.randint(1, 2))):
            try:
                found.append(seen.next_transfer(card, 0))
            except LocalError:
                continue
        return found

    def _learn(self, people, records):
        for record in records:
            for who in people:
                if record not in self.known[who.public]:
                    self.known[who.public].append(record)
            if record not in self.all:
                self.all.append(record)

    def ask(self):
        """Let a person have a trade and its ancestors certified by some witnesses, with the records
        they know.
        """
        who = self.rng.choice(PEOPLE)
        trades = [one for one in self.known[who.public] if isinstance(one.content, Trade)]
        if not trades:
            return
        last = self.rng.choice(trades).id
        for witness in self.rng.sample(
            list(self.witnesses.values()), self.rng.randint(1, len(WITNESSES))
        ):
            known = RecordSet(self.known[who.public])
            for trade in (one for one in known.closure([last]) if isinstance(one.content, Trade)):
                self._offer(who, witness, trade.id, known)

    def _offer(self, who, witness, trade, known):
        try:
            certificate = witness.offer(trade, known.closure([trade]))
        except RemoteError as error:
            self.refused[error.code] += 1
            return
        if certificate.step is not None:
            witness.mark_written(certificate.step)
        self._learn((who,), certificate.attestations)

    def tell(self):
        """Let a person share all known records with another."""
        one, other = self.rng.sample(PEOPLE, 2)
        self._learn((other,), list(self.known[one.public]))

    def deny(self):
        """Let a cheat waive a trade that it has finished."""
        cheat = self.rng.choice(CHEATS)
        mine = [one for one in self.known[cheat.public] if isinstance(one.content, Trade)]
        mine = [one for one in mine if cheat.public in (one.content.a, one.content.b)]
        if mine and self.rng.random() < 0.3:
            self._learn((cheat,), [waive(self.rng.choice(mine), cheat)])

    def check(self):
        """Check that certified trades stand in every view, and that no witness and nobody honest is
        named.
        """
        seen = evaluate(self.all)
        words = [record.content for record in self.all if isinstance(record.content, Attestation)]
        assert len({(word.creator, word.slot) for word in words}) == len(words)
        for trade in self.walls:
            assert seen.certified(trade) and not seen.void(trade)
        self.walls |= seen.settled
        honest = {one.public for one in (*PEOPLE, *MAKERS, *WITNESSES) if one not in CHEATS}
        named = {alarm.key for alarm in seen.alarms}
        assert not named & {one.public for one in WITNESSES}
        return named & honest


@pytest.mark.slow
def test_certified_trades_stay_whatever_cheats_do():
    walls, over, refused = 0, 0, Counter()
    for seed in SEEDS:
        history = History(seed)
        for _ in range(STEPS):
            history.step()
            history.check()
        walls += len(history.walls)
        over += history.over
        refused += history.refused
    assert (
        walls > 2 * len(SEEDS)
        and over
        and {Code.SPENT, Code.UNSETTLED, Code.NOT_OWNED} <= refused.keys()
    )  # every way was tried
