"""Ownership of cards: each rule of chapter 24 in a small history, from scratch and
incrementally.
"""

from dataclasses import replace
from itertools import permutations

import pytest

from protocol.errors import LocalError
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer
from protocol.ledger.records import sign_record
from protocol.ledger.view import LedgerView, evaluate
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    free,
    maker,
    same,
    seen,
    summary,
    traded,
    waive,
)

ONE, TWO, THREE = (card(serial) for serial in range(3))
CARDS = [TYPE, ONE, TWO, THREE]


def both(*records) -> LedgerView:
    """Return the view of the cards and these records, equal in every order."""
    whole = evaluate([*CARDS, *records])
    for order in list(permutations(records))[:24] if len(records) < 5 else [records, records[::-1]]:
        grown = IncrementalLedgerView()
        for record in [*order, *CARDS, *order]:
            grown.add(record)
        assert same(whole, grown)
    return whole


def given(*before, to, cards, by=MAKER, waives=()):
    """Return the trade by which their owner, by the view of `before`, gives these cards away."""
    return traded(by, to, free(evaluate([*CARDS, *before]), *cards), waives=waives)


def owner(it, which):
    return it.holding(which.id).owner


def named(it):
    return [alarm.key for alarm in it.alarms]


TO_ANN = given(to=ANN, cards=[ONE])
TO_BOB = given(to=BOB, cards=[TWO])
START = (TO_ANN, TO_BOB)
SWAP = traded(
    ANN, BOB, free(evaluate([*CARDS, *START]), ONE), free(evaluate([*CARDS, *START]), TWO)
)


def test_card_belongs_to_its_creator_until_given():
    it = both()
    assert owner(it, ONE) == MAKER.public
    assert it.held_by(MAKER.public) == tuple(sorted(one.id for one in (ONE, TWO, THREE)))
    assert it.holding(bytes(32)) is None


def test_swap_moves_both_cards():
    it = both(*START, SWAP)
    assert (owner(it, ONE), owner(it, TWO)) == (BOB.public, ANN.public)
    assert it.next_transfer(ONE.id, 1) == CardTransfer(ONE.id, 1, 2, SWAP.id, None)
    assert it.alarms == ()


def test_two_trades_for_slot_undo_both_and_burn_card():
    again = given(*START, to=CAROL, cards=[ONE], by=ANN)
    it = both(*START, SWAP, again)
    assert named(it) == [ANN.public]
    assert it.void(SWAP.id)
    assert it.void(again.id)
    assert it.holding(ONE.id)[:3] == (ANN.public, TO_ANN.id, True)
    assert it.holding(TWO.id)[:3] == (BOB.public, TO_BOB.id, False)
    with pytest.raises(LocalError):
        it.next_transfer(ONE.id, 0)


def test_returned_card_may_be_traded_again():
    cheat = given(*START, to=CAROL, cards=[ONE], by=ANN)
    sold = given(*START, SWAP, cheat, to=DAN, cards=[TWO], by=BOB)
    it = both(*START, SWAP, cheat, sold)
    assert owner(it, TWO) == DAN.public
    assert not it.void(sold.id)
    assert named(it) == [ANN.public]


def test_trade_by_a_stranger_blocks_no_slot():
    squatter = given(*START, to=DAN, cards=[ONE], by=CAROL)
    it = both(*START, SWAP, squatter)
    assert it.void(squatter.id)
    assert not it.void(SWAP.id)
    assert it.alarms == ()


def test_listed_waive_frees_card_and_names_receiver():
    """Bob finishes a trade that he has waived, after Ann gave the card to Carol."""
    waived = waive(SWAP, BOB)
    other = given(*START, waived, to=CAROL, cards=[ONE], by=ANN, waives=[waived])
    it = both(*START, SWAP, waived, other)
    assert named(it) == [BOB.public]
    assert owner(it, ONE) == CAROL.public
    assert it.holding(TWO.id)[:3] == (BOB.public, TO_BOB.id, True)


def test_waive_that_the_later_trade_does_not_list_frees_nothing():
    other = given(*START, to=CAROL, cards=[ONE], by=ANN)
    it = both(*START, SWAP, waive(SWAP, BOB), other)
    assert set(named(it)) == {ANN.public, BOB.public}
    assert it.holding(ONE.id)[:3] == (ANN.public, TO_ANN.id, True)


def test_trade_counts_with_its_listed_waives_alone():
    """Ann's honest trade cannot be told from a second spend without the waive that it lists."""
    waived = waive(SWAP, BOB)
    other = given(*START, waived, to=CAROL, cards=[ONE], by=ANN, waives=[waived])
    it = both(*START, SWAP, other)
    assert named(it) == []
    assert it.void(other.id)
    assert owner(it, ONE) == BOB.public


def test_waive_by_a_stranger_frees_nothing():
    """Ann lists a waive by Dan, who is no receiver of the first trade."""
    waived = waive(SWAP, DAN)
    other = given(*START, to=CAROL, cards=[ONE], by=ANN, waives=[waived])
    assert named(both(*START, SWAP, waived, other)) == [ANN.public]


def test_waived_trade_can_be_made_again_under_new_number():
    waived = waive(SWAP, BOB)
    listing = replace(SWAP.content, waives=(waived.id,))
    after_all = evaluate([*CARDS, *START, waived]).with_free_number(SWAP.content)
    assert after_all == replace(SWAP.content, number=1)
    assert evaluate([*CARDS, *START, waived]).can_hold(listing)
    after_all = replace(after_all, waives=(waived.id,))
    it = both(*START, waived, sign_record(after_all, ANN, BOB))
    assert owner(it, ONE) == BOB.public
    assert it.alarms == ()


def test_certified_trade_wins_in_any_order():
    makers = maker(witnesses=1, quorum=1)
    words = [seen(TO_ANN, ONE, WITNESSES[0], 0), seen(TO_BOB, TWO, WITNESSES[0], 1)]
    words += [
        seen(SWAP, which, WITNESSES[0], position) for position, which in enumerate((ONE, TWO), 2)
    ]
    again = given(*START, to=CAROL, cards=[ONE], by=ANN)
    it = both(*START, SWAP, again, makers, *words)
    assert it.certified(SWAP.id)
    assert it.holding(ONE.id) == (BOB.public, SWAP.id, False, True)
    assert it.void(again.id)
    assert named(it) == [ANN.public]
    assert summary(it)


def test_spending_over_a_valid_trade_moves_nothing():
    """Test 4: no earlier trade becomes void, nobody is named, and a third attempt changes
    nothing.
    """
    over = traded(ANN, CAROL, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])
    above = traded(ANN, DAN, [CardTransfer(ONE.id, 0, 3, TO_ANN.id, over.id)])
    it = both(*START, SWAP, over, above)
    assert not it.void(SWAP.id)
    assert it.void(over.id)
    assert it.void(above.id)
    assert it.alarms == ()


def test_waived_trade_gives_no_second_spend():
    """Two trades from one place, one from its beginning and one over the waived trade: signing both
    is a double spend.
    """
    other = given(*START, to=CAROL, cards=[ONE], by=ANN)
    over = traded(ANN, DAN, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])
    it = both(*START, SWAP, waive(SWAP, BOB), other, over)
    assert it.void(other.id)
    assert it.void(over.id)
    assert it.holding(ONE.id).burnt
    assert set(named(it)) == {ANN.public, BOB.public}


def test_owner_trading_again_after_waive_is_not_framed():
    """Test 7: a newcomer who first sees an apparent double spend names only the cheat."""
    cheat = given(*START, to=CAROL, cards=[ONE], by=ANN)
    sold = given(*START, SWAP, cheat, to=DAN, cards=[TWO], by=BOB)
    newcomer = both(*START, SWAP, sold)
    assert newcomer.alarms == ()
    assert newcomer.void(sold.id)
    later = both(*START, sold, cheat, SWAP)
    assert not later.void(sold.id)
    assert named(later) == [ANN.public]


def test_waive_by_the_giver_burns_the_card():
    it = both(*START, SWAP, waive(SWAP, ANN))
    assert it.holding(ONE.id)[:3] == (ANN.public, TO_ANN.id, True)
    assert it.holding(TWO.id)[:3] == (BOB.public, TO_BOB.id, False)
    assert named(it) == [ANN.public]


def certified(trade, *cards, by=WITNESSES[:1]):
    return [seen(trade, which, key, position) for key in by for position, which in enumerate(cards)]


def test_certified_trade_holds_despite_waive():
    """The waive does not free the slot: otherwise two people would have the card."""
    other = given(*START, to=CAROL, cards=[ONE], by=ANN)
    words = [*certified(TO_ANN, ONE), *certified(TO_BOB, TWO), *certified(SWAP, ONE, TWO)]
    it = both(*START, SWAP, waive(SWAP, BOB), other, maker(1, 1), *words)
    assert owner(it, ONE) == BOB.public
    assert it.void(other.id)


def test_certified_trade_requires_certified_ancestors():
    words = certified(SWAP, ONE, TWO)
    assert not both(*START, SWAP, maker(1, 1), *words, *certified(TO_ANN, ONE)).certified(SWAP.id)
    assert both(
        *START, SWAP, maker(1, 1), *words, *certified(TO_ANN, ONE), *certified(TO_BOB, TWO)
    ).certified(SWAP.id)


def test_certified_trade_survives_when_another_becomes_valid():
    """Bob spends TWO twice; Ann trades ONE over the void swap, certified; then the second spend is
    waived.
    """
    second = given(*START, to=CAROL, cards=[TWO], by=BOB)
    again = given(*START, SWAP, second, to=DAN, cards=[ONE], by=ANN)
    words = [*certified(TO_ANN, ONE), *certified(again, ONE)]
    it = both(*START, SWAP, second, waive(second, CAROL), again, maker(1, 1), *words)
    assert owner(it, ONE) == DAN.public
    assert it.void(SWAP.id)


def test_dead_trade_stays_dead_when_the_other_is_waived():
    """Bob spends TWO twice; Ann gives ONE to Dan over the void swap; then the second spend is
    waived.
    """
    second = given(*START, to=CAROL, cards=[TWO], by=BOB)
    again = given(*START, SWAP, second, to=DAN, cards=[ONE], by=ANN)
    it = both(*START, SWAP, second, again, waive(second, CAROL))
    assert owner(it, ONE) == DAN.public
    assert it.void(SWAP.id)
    assert BOB.public in named(it)


def test_waive_of_replaced_trade_names_its_giver():
    """Bob spends TWO twice; Ann gives ONE over the void swap, and waives the swap."""
    second = given(*START, to=CAROL, cards=[TWO], by=BOB)
    again = given(*START, SWAP, second, to=DAN, cards=[ONE], by=ANN)
    it = both(*START, SWAP, second, again, waive(SWAP, ANN))
    assert it.void(again.id)
    # also where the replaced trade is not known
    assert ANN.public in named(both(*START, again, waive(SWAP, ANN)))


def test_pending_trade_stops_its_card():
    """Ann signs over a swap that holds: until that is dead, nobody goes on from either."""
    over = traded(ANN, CAROL, [CardTransfer(ONE.id, 0, 2, TO_ANN.id, SWAP.id)])
    without = evaluate([*CARDS, *START, over])
    with pytest.raises(LocalError):
        without.next_transfer(ONE.id, 0)


def test_witness_signing_two_trades_for_slot_counts_nothing():
    """Test 9, with a single witness."""
    other = given(*START, to=CAROL, cards=[ONE], by=ANN)
    words = [*certified(TO_ANN, ONE), *certified(TO_BOB, TWO), *certified(SWAP, ONE, TWO)]
    it = both(*START, SWAP, other, maker(1, 1), *words, *certified(other, ONE))
    assert not it.settled
    assert set(named(it)) == {ANN.public, WITNESSES[0].public}
    assert it.holding(ONE.id).burnt


def test_exposed_liar_undoes_nothing_of_honest_witnesses():
    quorum = WITNESSES[:3]  # of four, one of whom may lie
    words = [
        *certified(TO_ANN, ONE, by=quorum),
        *certified(TO_BOB, TWO, by=quorum),
        *certified(SWAP, ONE, TWO, by=quorum),
    ]
    other = given(*START, to=CAROL, cards=[ONE], by=ANN)
    it = both(*START, SWAP, other, maker(4, 3), *words, *certified(other, ONE, by=quorum[:1]))
    assert WITNESSES[0].public in named(it)
    assert it.certified(SWAP.id)
    assert it.void(other.id)


def test_later_creator_record_undoes_no_certified_trade():
    words = [*certified(TO_ANN, ONE), *certified(TO_BOB, TWO), *certified(SWAP, ONE, TWO)]
    assert both(*START, SWAP, maker(1, 1), maker(4, 4, revision=1), *words).certified(SWAP.id)


def test_two_records_of_one_revision_name_the_creator():
    it = both(maker(1, 1), maker(2, 1))
    assert named(it) == [MAKER.public]
