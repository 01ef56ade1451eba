"""Two honest people trade: either may propose, messages may cross and arrive twice."""

from dataclasses import replace
from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.records import content_id, sign_record
from protocol.ledger.trading import events
from protocol.ledger.trading.journal import sign_promise
from protocol.ledger.trading.messages import TradePhase
from tests.support.errors import raises_text
from tests.support.ledger import ANN, BOB, CAROL, DAN, MAKER, maker, slot_of, trade_of, traded
from tests.support.trading import CARDS, Pair, two


def talking(ann, bob):
    """Connect both; Ann offers her first card and Bob his."""
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    pair.sides[0].offer([CARDS[0].id])
    pair.sides[1].offer([CARDS[2].id])
    return pair.run()


@pytest.mark.parametrize("proposer", [0, 1])
def test_trade_completes_from_offer_to_signatures(tmp_path, proposer):
    ann, bob = two(tmp_path)
    pair = talking(ann, bob)
    other = 1 - proposer
    pair.sides[proposer].propose()
    pair.run()
    mine, theirs = pair.last(proposer, events.TradeProposed), pair.last(other, events.TradeProposed)
    assert mine.mine and not theirs.mine and mine.terms.id == theirs.terms.id
    assert mine.terms.given == theirs.terms.received and mine.terms.received == theirs.terms.given
    pair.sides[proposer].sign(mine.terms.id)
    pair.run()
    assert not (ann.journal.reserved() or bob.journal.reserved()), (
        "nobody signs before the other has said yes"
    )
    pair.sides[other].sign(mine.terms.id)
    pair.run()
    for number, person in enumerate((ann, bob)):
        assert (
            isinstance(pair.told[number][-1], events.TradeFinished)
            and pair.sides[number].phase is TradePhase.TALKING
        )
        assert person.journal.reserved() == () and not person.book.view.alarms
    assert ann.owns(CARDS[1], CARDS[2]) and bob.owns(CARDS[0], CARDS[3])


def proposed(ann, bob):
    """Let Ann propose, so that both are asked; return the trade's id."""
    pair = talking(ann, bob)
    pair.sides[0].propose()
    pair.run()
    return pair, pair.last(0, events.TradeProposed).terms.id


def test_person_sees_the_trade_before_signing(tmp_path):
    ann, bob = two(tmp_path)
    ann.store.mark(MAKER.public, True)
    double = [traded(BOB, other, [slot_of(CARDS[5].id)]) for other in (CAROL, DAN)]
    for record in (CARDS[5], *double):
        ann.book.add([record])
    pair, _ = proposed(ann, bob)
    terms = pair.last(0, events.TradeProposed).terms
    assert terms.given == (CARDS[0].id,) and terms.received == (CARDS[2].id,)
    assert terms.creators == ((MAKER.public, True),) and not terms.certifiable
    assert [alarm.key for alarm in terms.alarms] == [BOB.public]
    assert pair.last(1, events.TradeProposed).terms.creators == ((MAKER.public, None),)


def test_trade_shows_whether_it_can_be_settled(tmp_path):
    ann, bob = two(tmp_path)
    for person in (ann, bob):
        named = maker(witnesses=3, quorum=2, revision=1).content
        person.book.add([sign_record(replace(named, previous=maker().id), MAKER)])
    pair, _ = proposed(ann, bob)
    assert pair.last(0, events.TradeProposed).terms.certifiable


def test_only_the_shown_trade_is_signed(tmp_path):
    """A yes applies to the trade on the screen: other trades, and undelivered ones, do not
    count.
    """
    ann, bob = two(tmp_path)
    pair = talking(ann, bob)
    pair.sides[0].propose()
    (payload,) = pair.sides[0].outgoing()
    pair.sides[1].received(payload)
    trade = pair.sides[0].events()[-1].terms.id
    with raises_text(LocalError, match="changed"):
        pair.sides[1].sign(trade)
    shown = pair.sides[1].events()
    assert [type(event) for event in shown] == [
        events.TradeProposed,
        events.TradeProposed,
    ] and shown[-1].again
    with raises_text(LocalError, match="was withdrawn"):
        pair.sides[1].sign(bytes(32))
    pair.sides[1].sign(trade)


def test_yes_applies_to_the_proposal_on_screen(tmp_path):
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    before = pair.last(0, events.TradeProposed).terms.digest
    ann.store.mark(MAKER.public, False)
    with raises_text(LocalError, match="has changed"):
        pair.sides[0].sign(trade)
    pair.gather()
    with raises_text(LocalError, match="has changed"):
        pair.sides[0].sign(trade, seen=before)
    assert pair.last(0, events.TradeProposed).again
    pair.sides[0].sign(trade, seen=pair.last(0, events.TradeProposed).terms.digest)


def test_yes_before_an_alarm_is_asked_again(tmp_path):
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    pair.sides[0].sign(trade)
    pair.sides[1].sign(trade)
    for record in (
        CARDS[5],
        *(traded(BOB, other, [slot_of(CARDS[5].id)]) for other in (CAROL, DAN)),
    ):
        ann.book.add([record])
    pair.run()
    assert not ann.journal.reserved() and pair.told[0][-1].again
    assert [alarm.key for alarm in pair.last(0, events.TradeProposed).terms.alarms] == [BOB.public]
    pair.sides[0].sign(trade)
    pair.run()
    assert ann.owns(CARDS[2]), "what was shown and wanted nevertheless is signed"


def test_no_withdraws_the_proposal(tmp_path):
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    pair.sides[1].reject(trade)
    pair.run()
    assert pair.last(0, events.ProposalRejected) == events.ProposalRejected(trade, True, None)
    assert {side.phase for side in pair.sides} == {TradePhase.TALKING}
    pair.sides[0].propose()
    pair.run()
    pair.sides[0].reject(trade)
    pair.run()
    assert pair.last(1, events.ProposalRejected) == events.ProposalRejected(trade, False, None)


def test_yes_withdrawn_as_signature_arrives_becomes_waive(tmp_path):
    """Ann has signed after Bob's yes; he has just said no. His waive frees her card at once."""
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    pair.sides[0].sign(trade)
    pair.sides[1].sign(trade)
    while not ann.journal.reserved():
        pair.step(0)
    pair.sides[1].reject(trade)
    pair.run()
    assert (
        pair.last(0, events.CardsReleased) == events.CardsReleased(trade)
        and not ann.journal.reserved()
    )
    with raises_text(LocalError, match="never finished"):
        bob.journal.sign_once(sign_promise(BOB, pair.last(0, events.TradeProposed).terms.trade))


def test_differently_computed_trades_are_refused(tmp_path):
    """Bob has given his card away meanwhile, and Ann does not know: his program refuses with a
    reason.
    """
    ann, bob = two(tmp_path)
    pair = talking(ann, bob)
    bob.book.add([traded(BOB, CAROL, [bob.book.view.next_transfer(CARDS[2].id, 0)])])
    pair.sides[0].propose()
    pair.run()
    assert pair.last(0, events.ProposalRejected).code == Code.NOT_OWNED
    assert not [event for event in pair.told[1] if isinstance(event, events.TradeProposed)]


def test_crossing_proposals_are_resolved(tmp_path):
    ann, bob = two(tmp_path)
    pair = talking(ann, bob)
    for side in pair.sides:
        side.propose()
    pair.run()
    trade = pair.last(0, events.TradeProposed).terms.id
    for side in pair.sides:
        side.sign(trade)
    pair.run()
    assert bob.owns(CARDS[0]) and ann.owns(CARDS[2])


def test_second_trade_in_one_session_completes(tmp_path):
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    for side in pair.sides:
        side.sign(trade)
    pair.run()
    pair.sides[1].offer([CARDS[0].id, CARDS[3].id])
    pair.run()
    pair.sides[1].propose()
    pair.run()
    second = pair.last(0, events.TradeProposed).terms
    assert second.received == tuple(sorted((CARDS[0].id, CARDS[3].id))) and second.given == ()
    for side in pair.sides:
        side.sign(second.id)
    pair.run()
    assert ann.owns(*CARDS[:4])


def test_repeated_or_foreign_trade_message_is_ignored(tmp_path):
    ann, bob = two(tmp_path)
    pair, trade = proposed(ann, bob)
    for side in pair.sides:
        side.sign(trade)
    pair.run()
    for number, side in enumerate(pair.sides):
        for payload in pair.sent[1 - number]:
            side.received(payload)
        assert side.outgoing() == [] and side.events() == []
    other = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    with pytest.raises(RemoteError) as caught:
        pair.sides[0].received(other.sent[1][2])
    assert caught.value.code == Code.ANOTHER_SESSION


def test_every_trade_event_is_reported(tmp_path):
    ann, bob = two(tmp_path)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public)).run()
    fresh = bob.meet(ANN.public)
    with pytest.raises(RemoteError) as caught:
        fresh.received(pair.sent[0][1])
    assert caught.value.code == Code.GAP and fresh.phase is TradePhase.CLOSED


def test_trade_partner_must_match_the_line(tmp_path):
    ann, bob = two(tmp_path)
    for partner in (CAROL.public, BOB.public):
        with pytest.raises(RemoteError) as caught:
            bob.meet(partner).received(ann.meet().outgoing()[0])
        assert caught.value.code == Code.BAD_IDENTITY
    with pytest.raises(RemoteError):
        ann.meet().received(ann.meet().outgoing()[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_two_honest_traders_never_accuse_each_other(tmp_path, seed):
    """Whatever they press, on any slow line: no message is out of place, and nobody is accused."""
    ann, bob = two(tmp_path, seed)
    rng = Random(seed)
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public))
    for _ in range(150):
        if rng.random() < 0.5:
            pair.step(rng.randrange(2))
        else:
            press(pair, (ann, bob), rng)
    pair.run()
    for person in (ann, bob):
        assert not person.book.view.alarms and not person.journal.is_outdated()
    assert not any(isinstance(event, events.SessionEnded) for told in pair.told for event in told)


def press(pair, people, rng):
    """Let one of the two do a possible action; impossible ones are refused to them."""
    number = rng.randrange(2)
    side, person = pair.sides[number], people[number]
    pair.gather()
    asked = [
        e.terms.id
        for e in pair.told[number]
        if isinstance(e, events.TradeProposed | events.SignatureReceived)
    ][-2:]
    own = person.book.view.held_by(person.me.public)
    choices = [
        lambda: side.offer(rng.sample(own, min(len(own), rng.randrange(3)))),
        side.propose,
        side.propose,
        lambda: side.say("well"),
        *(lambda trade=trade: side.sign(trade, warned=True) for trade in asked),
        *(lambda trade=trade: side.sign(trade) for trade in asked),
        *(lambda trade=trade: side.reject(trade) for trade in asked[-1:]),
    ]
    try:
        rng.choice(choices)()
    except LocalError:
        return


def test_proposal_of_unoffered_cards_is_declined_without_asking(tmp_path):
    ann, bob = two(tmp_path)
    pair = talking(ann, bob)
    view = bob.book.view
    other = trade_of(ANN, BOB, [view.next_transfer(CARDS[0].id, 0)])  # for nothing
    pair.sides[0].received(pair.forge(1, "propose", content_bytes(other)))
    pair.gather()
    assert pair.last(0, events.ProposalRejected) == events.ProposalRejected(
        content_id(other), False, Code.OTHER_TRADE
    )
    assert not [event for event in pair.told[0] if isinstance(event, events.TradeProposed)]
