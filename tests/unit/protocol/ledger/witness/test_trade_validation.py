"""Trades that a witness may sign: each reason for a refusal alone."""

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Trade
from protocol.ledger.record_overlay import RecordOverlay
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import evaluate
from protocol.ledger.witness.trade_validation import (
    TradeContext,
    can_never_be_certified,
    check_trade,
    transfers_in_charge,
)
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    trade_of,
    traded,
    waive,
)

CARD = card(1)
MADE = [maker(3, 2), TYPE, CARD]
FIRST = traded(MAKER, ANN, [slot_of(CARD.id)])
RIVAL = traded(MAKER, BOB, [slot_of(CARD.id)])
NEXT = traded(ANN, BOB, [slot_of(CARD.id, FIRST.id)])
FIRST_SEEN = [seen(FIRST, CARD, witness) for witness in WITNESSES[:2]]
RIVAL_SEEN = [seen(RIVAL, CARD, witness) for witness in WITNESSES[:2]]
AGAIN = traded(MAKER, CAROL, [slot_of(CARD.id, over=FIRST.id)])


def context(*records: LedgerRecord) -> TradeContext:
    return TradeContext(RecordSet(records), evaluate(records))


@pytest.mark.parametrize(
    ("trade", "known"),
    [
        (FIRST, MADE),
        # a conflict that no witness has decided
        (FIRST, [*MADE, RIVAL]),
        (FIRST, [*MADE, RIVAL, RIVAL_SEEN[0]]),
        (FIRST, [*MADE, FIRST, *FIRST_SEEN]),
        (NEXT, [*MADE, FIRST, *FIRST_SEEN]),
        (FIRST, [*MADE, waive(FIRST, EVE)]),
    ],
)
def test_trade_on_settled_trades_may_be_signed(trade, known):
    check_trade(context(*known), trade)


@pytest.mark.parametrize(
    ("trade", "known", "code"),
    [
        (FIRST, [maker(3, 2), TYPE], Code.LACKING),
        (NEXT, MADE, Code.LACKING),
        # somebody else's card, and a card of a type of another creator
        (traded(EVE, BOB, [slot_of(CARD.id)]), MADE, Code.NOT_OWNED),
        (traded(EVE, BOB, [slot_of(CARD.id, FIRST.id)]), [*MADE, FIRST], Code.NOT_OWNED),
        (FIRST, [*MADE, waive(FIRST, ANN)], Code.NOT_OWNED),
        (FIRST, [*MADE, waive(FIRST, MAKER)], Code.NOT_OWNED),
        (NEXT, [*MADE, FIRST], Code.UNSETTLED),
        (NEXT, [*MADE, FIRST, FIRST_SEEN[0]], Code.UNSETTLED),
        (FIRST, [*MADE, RIVAL, *RIVAL_SEEN], Code.SPENT),
        # the replaced trade stands, or its sender has waived it
        (AGAIN, [*MADE, FIRST], Code.NOT_OWNED),
        (AGAIN, [*MADE, FIRST, waive(FIRST, MAKER)], Code.NOT_OWNED),
        # the replaced trade is void, but witnesses might still certify it
        (AGAIN, [*MADE, FIRST, waive(FIRST, ANN)], Code.UNSETTLED),
    ],
)
def test_trade_that_could_be_undone_is_refused(trade, known, code):
    with pytest.raises(RemoteError) as raised:
        check_trade(context(*known), trade)
    assert raised.value.code is code


def test_card_of_a_foreign_type_is_not_owned():
    foreign = card(1, by=EVE)
    trade = traded(EVE, BOB, [slot_of(foreign.id)])
    with pytest.raises(RemoteError) as raised:
        check_trade(context(maker(by=EVE), TYPE, foreign), trade)
    assert raised.value.code is Code.NOT_OWNED


@pytest.mark.parametrize(
    ("known", "never"),
    [
        ([*MADE, FIRST], False),
        ([*MADE, FIRST, RIVAL, RIVAL_SEEN[0]], False),
        # two of three witnesses have attested the rival, so no quorum is left
        ([*MADE, FIRST, RIVAL, *RIVAL_SEEN], True),
        ([*MADE, FIRST, *FIRST_SEEN], False),
        # a creator without witnesses
        ([maker(), TYPE, CARD, FIRST], True),
    ],
)
def test_trade_without_a_quorum_left_is_never_certified(known, never):
    assert can_never_be_certified(context(*known), FIRST.id) is never


def test_trade_falls_with_the_trade_that_it_continues():
    known = [*MADE, FIRST, NEXT, RIVAL, *RIVAL_SEEN]
    assert can_never_be_certified(context(*known), NEXT.id)
    assert not can_never_be_certified(context(*MADE, FIRST, NEXT), NEXT.id)


@pytest.mark.parametrize(("number", "charged"), [(0, True), (2, True), (3, False)])
def test_witness_is_in_charge_of_cards_that_name_it(number, charged):
    other = card(2, by=DAN)
    trade = trade_of(MAKER, ANN, [slot_of(CARD.id), slot_of(other.id)])
    assert isinstance(trade, Trade)
    found = transfers_in_charge(
        WITNESSES[number].public, RecordSet([*MADE, maker(by=DAN), other]), trade
    )
    assert [one.instance for one in found] == ([CARD.id] if charged else [])


def test_witness_is_not_in_charge_of_creators_not_served():
    trade = trade_of(MAKER, ANN, [slot_of(CARD.id)])
    known = RecordSet(MADE)
    key = WITNESSES[0].public
    assert transfers_in_charge(key, known, trade, lambda creator: creator == MAKER.public)
    assert not transfers_in_charge(key, known, trade, lambda creator: creator != MAKER.public)


def test_overlay_adds_records_and_leaves_the_set_alone():
    below = RecordSet(MADE)
    overlay = RecordOverlay(below, [FIRST, CARD])
    assert overlay.get(FIRST.id) == FIRST and overlay.get(TYPE.id) == TYPE
    assert set(overlay.more) == {FIRST.id}
    assert [record.id for record in overlay.ids_under(CARD.id)] == [FIRST.id]
    assert FIRST.id not in below and not list(below.ids_under(CARD.id))
