"""A trade interrupted anywhere: partners that vanish and return, power failures. Nobody honest is
named.
"""

from dataclasses import replace

import pytest

from player.cards.card_files import export_own_cards
from player.cards.collection import Collection
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import read_bundle
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.records import content_id, record_of, sign_content
from protocol.ledger.trading import events
from protocol.ledger.trading.journal import JournalCount, JournalRefusal, sign_promise
from protocol.ledger.trading.messages import TradePhase
from protocol.limits import MAX_UNFINISHED
from tests.support.errors import raises_text
from tests.support.ledger import ANN, BOB, CAROL, trade_of, waive
from tests.support.trading import CARDS, Pair, Person, two

DURABLE = ("sign_once", "waive_once", "finish", "release", "met", "add")  # methods that write


class PowerCut(Exception):
    """Everything in memory is lost."""


class Failing:
    """A journal or a book whose power fails at a write, before it is on disk or `after`."""

    def __init__(self, target, countdown, after):
        self._target, self._countdown, self._after = target, countdown, after

    def __getattr__(self, name):
        found = getattr(self._target, name)
        return self._write(found) if name in DURABLE else found

    def _write(self, write):
        def writing(*args, **named):
            self._countdown[0] -= 1
            if self._countdown[0] == 0 and not self._after:
                raise PowerCut
            write(*args, **named)
            if self._countdown[0] == 0:
                raise PowerCut

        return writing


def run(pair, steps=None):
    """Let Ann offer card 0 for card 2 and propose, and both accept. At most `steps` messages are
    delivered.
    """
    left = [10_000 if steps is None else steps]

    def over():
        left[0] -= 1
        return left[0] < 0

    def deliver():
        while not over() and (pair.step(0) or pair.step(1)):
            pass

    deliver()
    for act in (
        lambda: [
            side.offer([card.id])
            for side, card in zip(pair.sides, (CARDS[0], CARDS[2]), strict=True)
        ],
        pair.sides[0].propose,
        lambda: [side.sign(pair.last(0, events.TradeProposed).terms.id) for side in pair.sides],
    ):
        if left[0] >= 0:
            act()
            deliver()


def again(ann, bob, answer):
    """Restart both programs and let them meet; each question gets `answer`."""
    for person in (ann, bob):
        person.stop()
        person.start()
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    for side, told in zip(pair.sides, pair.told, strict=True):
        for event in told:
            if isinstance(event, events.SignatureReceived):
                answer(side)(event.terms.id)
    return pair.run()


def check_after(ann, bob):
    """Check that both agree, no card is promised any more, nobody is named, and a trade of the same
    cards completes.
    """
    assert not ann.journal.reserved() and not bob.journal.reserved()
    assert not ann.book.view.alarms and not bob.book.view.alarms
    assert not ann.journal.is_outdated() and not bob.journal.is_outdated()
    done = ann.owns(CARDS[2])
    assert bob.owns(CARDS[0]) == done and ann.owns(CARDS[0]) != done and bob.owns(CARDS[2]) != done
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[1].id])
    pair.sides[1].offer([CARDS[0 if done else 2].id])
    pair.run().sides[1].propose()
    pair.run()
    for side in pair.sides:
        side.sign(pair.last(1, events.TradeProposed).terms.id)
    pair.run()
    assert bob.owns(CARDS[1])


ANSWERS = [lambda side: side.sign, lambda side: side.reject]


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS, ids=["yes", "no"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("who", [0, 1])
def test_power_failure_at_every_write_is_recovered(tmp_path, who, after, answer):
    """Test 11 of the cards' requirements: nothing is signed twice, and every started trade ends."""
    write = 0
    cut = True
    while cut:
        write += 1
        ann, bob = people = two(tmp_path / str(write), marks=True)
        countdown = [write]
        sides = [person.meet(other.me.public) for person, other in ((ann, bob), (bob, ann))]
        journal, book = (
            Failing(one, countdown, after) for one in (people[who].journal, people[who].book)
        )
        sides[who] = people[who].meet(people[1 - who].me.public, journal, book)
        try:
            run(Pair(*sides))
            cut = False
        except PowerCut:
            again(ann, bob, answer)
            check_after(ann, bob)
        for person in people:
            person.stop()
    assert write > 4


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_line_break_at_every_message_is_recovered(tmp_path, first):
    """The line breaks at every second message of each side, with different answers."""
    steps, finished = first, False
    while not finished:
        ann, bob = two(tmp_path / str(steps))
        pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public))
        run(pair, steps)
        finished = any(isinstance(event, events.TradeFinished) for event in pair.told[0])
        again(ann, bob, ANSWERS[first])
        check_after(ann, bob)
        for person in (ann, bob):
            person.stop()
        steps += 2
    assert steps > 10


def vanish(tmp_path):
    """Let Ann sign first and Bob vanish with her signature; return both and the trade."""
    ann, bob = two(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.sides[1].offer([CARDS[2].id])
    pair.run().sides[0].propose()
    pair.run()
    for side in pair.sides:
        side.sign(pair.last(0, events.TradeProposed).terms.id)
    while not ann.journal.reserved():
        pair.step(0)
    return ann, bob, ann.journal.reserved()[0]


def with_carol(ann, tmp_path):
    """Let Ann propose to give the same card to Carol; return the session and the trade."""
    carol = Person(CAROL, tmp_path / "Carol")
    pair = Pair(ann.meet(CAROL.public), carol.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.run().sides[0].propose()
    pair.run()
    return carol, pair, pair.last(0, events.TradeProposed).terms


def test_proposer_cards_are_reserved_with_a_warning(tmp_path):
    """Test 10: the partner takes the first signature and vanishes; later he shows the trade."""
    ann, _, promised = vanish(tmp_path)
    assert promised.cards == (CARDS[0].id,)
    _, pair, terms = with_carol(ann, tmp_path)
    assert terms.reserved == (CARDS[0].id,)
    with raises_text(LocalError, match="given the card away twice"):
        pair.sides[0].sign(terms.id)
    with raises_text(JournalRefusal, match="promised one of these cards to somebody"):
        ann.journal.sign_once(sign_promise(ANN, terms.trade))
    assert ann.journal.promise_of(terms.id) is None
    shown = promised.finished(sign_content(BOB, promised.trade))  # Bob has changed his mind
    ann.book.add([shown])
    assert ann.owns(CARDS[2]) and not ann.journal.reserved() and not ann.book.view.alarms


def test_trading_a_reserved_card_is_a_double_spend(tmp_path):
    ann, bob, promised = vanish(tmp_path)
    carol, pair, terms = with_carol(ann, tmp_path)
    for side, warned in zip(pair.sides, (True, False), strict=True):
        side.sign(terms.id, warned=warned)
    pair.run()
    assert carol.owns(CARDS[0])
    carol.book.add([CARDS[2], *bob.book.records.closure([CARDS[2].id])])
    carol.book.add([promised.finished(sign_content(BOB, promised.trade))])
    assert [alarm.key for alarm in carol.book.view.alarms] == [ANN.public]


def test_only_partner_completing_a_waived_trade_is_named(tmp_path):
    """Test 10: the partner waives, then shows the finished trade nevertheless."""
    ann, bob, promised = vanish(tmp_path)
    session = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    session.sides[1].reject(promised.id)
    session.run()
    assert session.last(0, events.CardsReleased) == events.CardsReleased(promised.id)
    assert session.last(1, events.TradeWaived) == events.TradeWaived(promised.id)
    carol, pair, terms = with_carol(ann, tmp_path)
    assert terms.reserved == ()
    for side in pair.sides:
        side.sign(terms.id)
    pair.run()
    finished = promised.finished(sign_content(BOB, promised.trade))
    for person in (ann, carol):
        person.book.add([*bob.book.records.closure([CARDS[2].id]), finished])
        assert {alarm.key for alarm in person.book.view.alarms} == {BOB.public}
    assert carol.owns(CARDS[0]) and not ann.journal.is_outdated()


def test_countersignature_after_waive_is_kept_as_proof(tmp_path):
    ann, bob, promised = vanish(tmp_path)
    session = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    session.sides[1].reject(promised.id)
    session.run()
    session.sides[0].received(
        session.forge(1, "counter", promised.id, sign_content(BOB, promised.trade))
    )
    session.gather()
    assert [alarm.key for alarm in ann.book.view.alarms] == [BOB.public]
    assert not any(isinstance(event, events.TradeFinished) for event in session.told[0])


def test_signing_and_waiving_exclude_each_other(tmp_path):
    ann, bob, promised = vanish(tmp_path)
    with raises_text(JournalRefusal, match="only the other side"):
        ann.journal.waive_once(waive(record_of_both(promised), ANN))
    bob.journal.waive_once(waive(record_of_both(promised), BOB))
    with raises_text(JournalRefusal, match="never finished"):
        bob.journal.sign_once(sign_promise(BOB, promised.trade))


def record_of_both(promised):
    by_key = {one.public: sign_content(one, promised.trade) for one in (ANN, BOB)}
    return record_of(promised.trade, by_key[promised.trade.a], by_key[promised.trade.b])


def test_two_programs_in_folder_sign_one_trade_per_card(tmp_path):
    """Each program has its own view, in which the card is still there; they share one journal."""
    ann, _ = two(tmp_path)
    second = Person(ANN, ann.folder)
    (transfer,) = [ann.book.view.next_transfer(CARDS[0].id, 0)]
    to_bob, to_carol = (trade_of(ANN, other, [transfer]) for other in (BOB, CAROL))
    ann.journal.sign_once(sign_promise(ANN, to_bob, sign_content(BOB, to_bob)))
    for warned in (False, True):
        with raises_text(JournalRefusal, match="given this card away"):
            second.journal.sign_once(sign_promise(ANN, to_carol), warned=warned)
    second.journal.sign_once(sign_promise(ANN, to_bob))  # repeating the same signature is harmless
    assert ann.journal.standing() == second.journal.standing()


def test_journal_refusing_countersignature_waives(tmp_path):
    """Bob's other program has given his card away meanwhile: Ann does not wait in vain."""
    ann, bob = two(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.sides[1].offer([CARDS[2].id])
    pair.run().sides[0].propose()
    pair.run()
    for side in pair.sides:
        side.sign(pair.last(0, events.TradeProposed).terms.id)
    other = trade_of(BOB, CAROL, [bob.book.view.next_transfer(CARDS[2].id, 0)])
    Person(BOB, bob.folder).journal.sign_once(sign_promise(BOB, other, sign_content(CAROL, other)))
    pair.run()
    assert (
        isinstance(pair.last(0, events.CardsReleased), events.CardsReleased)
        and not ann.journal.reserved()
    )
    assert bob.journal.promise_of(content_id(other)) and not bob.book.view.alarms


def test_waive_of_finished_trade_frees_card_and_names(tmp_path):
    """Bob waives a trade that he has signed: he is named, and Ann, who owns the card again, may
    trade it.
    """
    ann, _, promised = vanish(tmp_path)
    finished = promised.finished(sign_content(BOB, promised.trade))
    ann.book.add([finished])
    ann.book.add([waive(finished, BOB)])
    assert ann.owns(CARDS[0]) and {alarm.key for alarm in ann.book.view.alarms} == {BOB.public}
    carol, pair, terms = with_carol(ann, tmp_path)
    for side in pair.sides:
        side.sign(terms.id)
    pair.run()
    assert carol.owns(CARDS[0]) and {alarm.key for alarm in carol.book.view.alarms} <= {BOB.public}


def test_many_interrupted_trades_keep_partners_able_to_trade(tmp_path):
    """There are more than one session asks about: the others come when these are answered."""
    ann, bob = two(tmp_path)
    transfer = ann.book.view.next_transfer(CARDS[0].id, 0)
    takes = [bob.book.view.next_transfer(card.id, 0) for card in CARDS[2:4]]
    for index in range(MAX_UNFINISHED + 2):  # she was warned each time
        other = replace(takes[index % 2], index=index + 1)
        ann.journal.sign_once(
            sign_promise(ANN, trade_of(ANN, BOB, [transfer], [other])), warned=True
        )
    for left in (2, 0):
        pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
        for event in pair.told[1]:
            if isinstance(event, events.SignatureReceived):
                pair.sides[1].reject(event.terms.id)
        pair.run()
        assert len(ann.journal.reserved()) == left


def test_finished_trade_is_on_disk_with_its_promise(tmp_path):
    """Power fails as the second signature is written: after a restart the program has the trade,
    although nobody else does.
    """
    ann, bob, promised = vanish(tmp_path)
    second = sign_promise(BOB, promised.trade, sign_content(ANN, promised.trade))
    bob.journal.sign_once(second)
    bob.stop()
    bob.start()
    assert bob.owns(CARDS[0]) and not ann.owns(CARDS[2])


def test_file_of_partner_finishes_trade_without_meeting(tmp_path):
    """Bob has signed, too, and Ann does not know: a file of his cards is enough."""
    ann, bob, promised = vanish(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public))
    pair.run(lambda: bool(pair.told[1]) and isinstance(pair.told[1][-1], events.SignatureReceived))
    pair.sides[1].sign(pair.last(1, events.SignatureReceived).terms.id)
    bob.stop()
    bob.start()
    assert bob.owns(CARDS[0]) and ann.journal.reserved() == (promised,)
    file = read_bundle(export_own_cards(Collection(bob.store, BOB.public)))
    Collection(ann.store, ANN.public).take(file.raws)
    ann.stop()
    ann.start()
    assert ann.owns(CARDS[2]) and not ann.journal.reserved()


def refusal(side, payload):
    """Return the code with which a side refuses a payload of its partner."""
    with pytest.raises(RemoteError) as caught:
        side.received(payload)
    assert side.phase is TradePhase.CLOSED
    return caught.value.code


def test_invalid_signature_is_refused_and_not_kept(tmp_path):
    ann, bob, promised = vanish(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    assert (
        refusal(
            pair.sides[0],
            pair.forge(1, "counter", promised.id, sign_content(CAROL, promised.trade)),
        )
        == Code.BAD_SIGNATURE
    )
    assert ann.journal.reserved() and not ann.owns(CARDS[2])
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    assert (
        refusal(
            pair.sides[1],
            pair.forge(
                0, "sign", content_bytes(promised.trade), sign_content(CAROL, promised.trade)
            ),
        )
        == Code.BAD_SIGNATURE
    )
    assert not [
        event for event in pair.sides[1].events() if isinstance(event, events.SignatureReceived)
    ]


def test_old_folder_copy_refuses_to_trade(tmp_path):
    """Neither a signature nor a waive could follow: the first signer would wait in vain."""
    ann, bob = two(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.run().sides[0].propose()
    pair.run()
    trade = pair.last(0, events.TradeProposed).terms.id
    bob.journal.record_proven_count(JournalCount(1_000, bytes(32)))
    with raises_text(LocalError, match="old copy"):
        pair.sides[1].sign(trade)
    assert pair.sides[1].outgoing() == [] and pair.sides[1].phase is TradePhase.ASKED
    pair.sides[1].reject(trade)
    pair.run()
    with raises_text(LocalError, match="old copy"):
        pair.sides[1].propose()


@pytest.mark.parametrize("proposer", [0, 1])
def test_refused_card_can_be_traded_in_the_same_session(tmp_path, proposer):
    """Ann names the waive in a new offer, so that either side can propose again."""
    ann, bob, promised = vanish(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.run().sides[1].reject(promised.id)
    pair.run().sides[proposer].propose()
    pair.run()
    trade = pair.last(1 - proposer, events.TradeProposed).terms
    assert trade.trade.waives == (promised.waive,)
    for side in (pair.sides[1 - proposer], pair.sides[proposer]):
        side.sign(trade.id)
        pair.run()
    assert bob.owns(CARDS[0])
    assert not ann.book.view.alarms
