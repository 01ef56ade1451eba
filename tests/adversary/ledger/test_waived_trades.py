"""Partners who refuse trades, and finish them later all the same: no honest giver is named."""

from itertools import combinations
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import ProtocolViolation
from protocol.games.decks import Mode, Owned
from protocol.games.decks.ledger_ownership import LedgerOwnership
from protocol.games.decks.match_decks import DeckPhase, DeckTerms, MatchDecks, apply, new_decks
from protocol.games.decks.own_deck import OwnDeck
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.trading import events
from tests.support.decks import BOUND, cards_of
from tests.support.ledger import ANN, BOB, CAROL, DAN, EVE, TYPE, maker, slot_of, trade_of, waive
from tests.support.trading import CARDS, Pair, Person, issue

TERMS = DeckTerms(Mode.OPEN, lambda faces: True)
OWNERS = (ANN, CAROL, DAN, EVE)
KNOWN = issue(*OWNERS)


class World:
    """People with a data folder each, who know all cards and who was given them."""

    def __init__(self, path) -> None:
        self.people = {
            one.public: Person(one, path / one.public.hex()[:6]) for one in (*OWNERS, BOB)
        }
        for person in self.people.values():
            person.book.add([maker(), TYPE, *KNOWN[2:]])
            person.journal.mend()

    def __getitem__(self, one) -> Person:
        return self.people[one.public]

    def meet(self, one, other) -> Pair:
        return Pair(self[one].meet(other.public), self[other].meet(one.public)).run()

    def agreed(self, one, other, gives, takes=()) -> tuple[Pair, bytes]:
        """Let both agree to a trade that `one` has proposed, and `one` not yet."""
        pair = self.meet(one, other)
        pair.sides[0].offer([card.id for card in gives])
        pair.sides[1].offer([card.id for card in takes])
        pair.run().sides[0].propose()
        pair.run()
        trade = pair.last(0, events.TradeProposed).terms.id
        self[other].journal.mend()  # a cheat has signed elsewhere as well
        pair.sides[1].sign(trade)
        pair.run()
        return pair, trade

    def trade(self, one, other, gives, takes=()) -> LedgerRecord:
        """Let two people trade; return the record."""
        pair, trade = self.agreed(one, other, gives, takes)
        pair.sides[0].sign(trade)
        pair.run()
        record = self[one].book.find(trade)
        assert record is not None
        return record

    def refuse(self, one, other, gives, takes=()) -> LedgerRecord:
        """Let `one` sign first and `other` refuse; return the trade, as `other` can finish it."""
        pair, trade = self.agreed(one, other, gives, takes)
        pair.sides[0].sign(trade)
        pair.gather()  # the line breaks
        pair = self.meet(one, other)
        self[other].journal.mend()
        pair.sides[1].reject(trade)
        pair.run()
        promise = self[one].journal.promise_of(trade)
        assert promise is not None
        assert self[one].journal.reserved() == ()
        return sign_record(promise.trade, one, other)


@pytest.fixture
def world(tmp_path) -> World:
    return World(tmp_path)


def knowing(records) -> LedgerOwnership:
    return LedgerOwnership(RecordSet(records), IncrementalLedgerView(records))


def played(card: Owned, anns, bobs) -> MatchDecks:
    """Play until all decks are judged. Ann brings `card`; both know some records."""
    theirs = tuple(one for one, _ in cards_of(1))
    own = [
        OwnDeck(BOUND, 0, Random(0), (card,), knowing(anns)),
        OwnDeck(BOUND, 1, Random(1), theirs, knowing(bobs)),
    ]
    decks = new_decks(BOUND)
    while decks.phase is not DeckPhase.DONE and decks.phase is not DeckPhase.PLAY:
        seat, action = next(
            (seat, action)
            for seat, half in enumerate(own)
            if (action := half.respond(decks, TERMS)) is not None
        )
        decks = apply(decks, seat, action, TERMS)
    return decks


MINE = Owned(CARDS[0].raw, (TYPE.raw,), (KNOWN[2 + len(OWNERS)].raw,))


@pytest.mark.parametrize("partners", [(CAROL, CAROL), (CAROL, DAN), (CAROL, DAN, CAROL)])
def test_waived_trades_throw_nobody_out_of_match(world, partners):
    """Attack 13. Bob and a third party know any of the waived trades, and any of the waives."""
    trades = [world.refuse(ANN, one, CARDS[:1]) for one in partners]
    waives = [waive(trade, one) for trade, one in zip(trades, partners, strict=True)]
    anns = list(world[ANN].book.records)
    for count in range(1, 1 + len(trades)):
        for shown in combinations([*trades, *waives], count):
            assert played(MINE, anns, [*KNOWN, *shown]).left_seats == frozenset()


def test_giver_after_a_waive_is_still_named(world):
    """Ann does give the card away after the first trade was waived, and plays it."""
    first = world.refuse(ANN, CAROL, CARDS[:1])
    sold = world.trade(ANN, DAN, CARDS[:1])
    anns = [*KNOWN, first, waive(first, CAROL)]
    for bobs in ([sold], [sold, first], [sold, first, waive(first, CAROL)]):
        with pytest.raises(ProtocolViolation) as named:
            played(MINE, [*anns, sold], [*world[ANN].book.records, *bobs])
        assert named.value.code is Code.NOT_OWNED


def swapped_and_spent(world) -> tuple[LedgerRecord, LedgerRecord]:
    """Ann swaps with Carol, whose card was given to Dan as well: the swap is dead."""
    spent = sign_record(
        trade_of(CAROL, DAN, [slot_of(CARDS[1].id, KNOWN[3 + len(OWNERS)].id)]), CAROL, DAN
    )
    swap = world.trade(ANN, CAROL, CARDS[:1], CARDS[1:2])
    world[ANN].book.add([spent])
    return swap, spent


def test_giver_over_a_dead_trade_is_never_named(world):
    """Attack 14. The card goes over a dead swap, is refused once, and goes through two hands."""
    swap, spent = swapped_and_spent(world)
    refused = world.refuse(ANN, DAN, CARDS[:1])
    world[ANN].book.add([waive(swap, CAROL)])
    world.trade(ANN, EVE, CARDS[:1])
    world.trade(EVE, BOB, CARDS[:1])
    fay = world[BOB].book
    late = [refused, swap, spent, waive(spent, DAN), waive(refused, DAN)]
    for record in late:
        fay.add([record])
        honest = {ANN.public, EVE.public, BOB.public}
        assert not [alarm for alarm in fay.view.alarms if alarm.key in honest]
        holding = fay.view.holding(CARDS[0].id)
        assert holding.owner == BOB.public
        assert not holding.burnt


def test_card_given_over_a_dead_trade_stays_given(world):
    """Dan waives the second spend after the card went on: the swap stays dead."""
    swap, spent = swapped_and_spent(world)
    world.trade(ANN, EVE, CARDS[:1])
    eve = world[EVE].book
    eve.add([swap, spent, waive(spent, DAN)])
    assert eve.view.holding(CARDS[0].id).owner == EVE.public
    assert CAROL.public in {alarm.key for alarm in eve.view.alarms}


@pytest.mark.parametrize("bobs", ["swap", "swap and waive", "all"])
def test_dispute_with_a_waive_of_today_has_an_answer(world, bobs):
    """C4. In the middle of the match Dan waives the spend that made Ann's swap dead."""
    swap, spent = swapped_and_spent(world)
    anns = list(world[ANN].book.records)
    late = {
        "swap": [swap],
        "swap and waive": [swap, waive(spent, DAN)],
        "all": [swap, spent, waive(spent, DAN)],
    }[bobs]
    assert played(MINE, anns, [*KNOWN, *late]).left_seats == frozenset()
