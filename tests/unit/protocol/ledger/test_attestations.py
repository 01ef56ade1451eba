"""Quorums of witnesses, and what the lie of a witness undoes."""

import pytest

from protocol.ledger.attestations import Attestations, is_quorum
from protocol.ledger.record_contents import Attestation, Creator, Instance, Trade
from tests.support.ledger import (
    ANN,
    BOB,
    MAKER,
    WITNESSES,
    card,
    maker,
    seen,
    slot_of,
    traded,
)

A, B, C, D = (one.public for one in WITNESSES)
CARD = card(1)
TRADE = traded(MAKER, ANN, [slot_of(CARD.id)])
RIVAL = traded(MAKER, BOB, [slot_of(CARD.id)])
assert isinstance(TRADE.content, Trade) and isinstance(CARD.content, Instance)
CARDS = {CARD.id: CARD.content}


def creator(witnesses: int, quorum: int) -> Creator:
    content = maker(witnesses, quorum).content
    assert isinstance(content, Creator)
    return content


def said(witness: int, trade=TRADE) -> Attestation:
    content = seen(trade, CARD, WITNESSES[witness]).content
    assert isinstance(content, Attestation)
    return content


@pytest.mark.parametrize(
    ("witnesses", "quorum", "attested", "liars", "enough"),
    [
        (3, 2, {A, B}, set(), True),
        (3, 2, {A}, set(), False),
        # a witness that the creator did not name
        (3, 2, {A, D}, set(), False),
        # one liar of three with a quorum of two: two quorums could share the liar alone
        (3, 2, {A, B}, {A}, False),
        (3, 2, {A, B}, {D}, True),
        # one liar of four with a quorum of three: two quorums share an honest witness
        (4, 3, {A, B, C}, {A}, True),
        (4, 3, {B, C}, {A}, True),
        (4, 3, {A, B}, {A}, False),
        # two liars are too many
        (4, 3, {B, C, D}, {A}, True),
        (4, 3, {A, B, C}, {A, B}, False),
        # one witness for everything, who has lied
        (1, 1, {A}, {A}, False),
        (1, 1, {A}, set(), True),
        (0, 0, set(), set(), False),
    ],
)
def test_quorum_without_liars_is_enough(witnesses, quorum, attested, liars, enough):
    assert is_quorum(creator(witnesses, quorum), attested, liars) is enough


def test_witness_counts_once_however_often_it_attests():
    words = Attestations()
    words.creator(creator(3, 2))
    words.seen(said(0))
    words.seen(said(0))
    assert words.touched() == {TRADE.id}
    assert not words.enough(TRADE.id, TRADE.content, CARDS)
    words.seen(said(1))
    assert words.enough(TRADE.id, TRADE.content, CARDS)


def test_creator_may_become_known_after_the_attestations():
    words = Attestations()
    words.seen(said(0))
    words.seen(said(1))
    assert not words.enough(TRADE.id, TRADE.content, CARDS)
    words.touched()
    words.creator(creator(3, 2))
    assert words.touched() == {TRADE.id}
    assert words.enough(TRADE.id, TRADE.content, CARDS)


def test_any_witnesses_that_the_creator_ever_named_count():
    words = Attestations()
    words.creator(creator(3, 2))
    later = maker(4, 4, revision=1).content
    assert isinstance(later, Creator)
    words.creator(later)
    words.seen(said(0))
    words.seen(said(1))
    assert words.enough(TRADE.id, TRADE.content, CARDS)


def test_two_trades_of_one_slot_prove_a_lie():
    words = Attestations()
    words.creator(creator(3, 2))
    words.seen(said(0))
    words.seen(said(1))
    words.touched()
    words.seen(said(0, RIVAL))
    assert words.touched() == {TRADE.id, RIVAL.id}
    assert not words.enough(TRADE.id, TRADE.content, CARDS)
    words.seen(said(2))
    assert words.enough(TRADE.id, TRADE.content, CARDS)


def test_lie_concerns_trades_of_witnesses_named_beside_it():
    words = Attestations()
    words.creator(creator(3, 2))
    words.seen(said(1))
    words.touched()
    for liar, touched in ((A, {TRADE.id}), (A, set()), (D, set())):
        words.lie(liar)
        assert words.touched() == touched


def test_trade_needs_a_quorum_for_each_card():
    other = card(2)
    both = traded(MAKER, ANN, [slot_of(CARD.id), slot_of(other.id)])
    assert isinstance(both.content, Trade) and isinstance(other.content, Instance)
    words = Attestations()
    words.creator(creator(1, 1))
    cards = {**CARDS, other.id: other.content}
    for each in (CARD, other):
        assert not words.enough(both.id, both.content, cards)
        content = seen(both, each, WITNESSES[0]).content
        assert isinstance(content, Attestation)
        words.seen(content)
    assert words.enough(both.id, both.content, cards)
