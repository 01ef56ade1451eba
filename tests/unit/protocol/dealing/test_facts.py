"""Facts of single deals: operations that no bundled game uses, and the effect of a lie."""

import pytest

from protocol.dealing import Post
from protocol.dealing.commutative import COMMUTATIVE
from protocol.dealing.facts import (
    HAND_PHRASE,
    NOBODY,
    STOCK,
    Commitment,
    Opening,
    Reading,
    Sealing,
    Transfer,
)
from protocol.dealing.knowledge import Knowledge, apply_facts, initial_knowledge
from protocol.dealing.verified import VERIFIED
from protocol.games.operations import EVERYBODY, Look, Operation, Pile, PutAway, Shuffle, Turn
from tests.support.commutative import commutative_deal
from tests.support.knowledge import can_read, says_it_knows
from tests.support.verified import VerifiedDeal, begin, begin_piles


def followed(deal: VerifiedDeal, known: Knowledge, seat: int, *operations: Operation) -> Knowledge:
    """Update the knowledge by an entry with these operations and all that must follow, and check
    that every private half can read its cards.
    """
    before = deal.state
    parts = [deal.seats[max(seat, 0)].part(deal.state, each) for each in operations]
    for operation, part in zip(operations, parts, strict=True):
        deal.state = VERIFIED.apply_operation(deal.state, seat, operation, part, deal.at)
    known = apply_facts(known, VERIFIED.facts(before, seat, Post("move", [[], parts]), deal.state))
    return settled(deal, known)


def settled(deal: VerifiedDeal, known: Knowledge) -> Knowledge:
    while True:
        for number, half in enumerate(deal.seats):
            post = half.next_post(deal.state)
            if post is None:
                continue
            before = deal.state
            deal.post(number, post)
            known = apply_facts(known, VERIFIED.facts(before, number, post, deal.state))
            compare(deal, known)
            break
        else:
            return known


def compare(deal: VerifiedDeal, known: Knowledge) -> None:
    for seat, half in enumerate(deal.seats):
        held = {
            card
            for card in range(deal.state.context.piece_count)
            if can_read(half, deal.state, card) is not None
        }
        assert says_it_knows(known, seat) | known.public.keys() == held | known.public.keys()


@pytest.mark.slow
def test_exchanged_and_reshuffled_cards_are_hidden_from_their_discarder():
    deal = begin(3, 9, 2, 4)
    known = settled(deal, initial_knowledge(0, (0, 1, 2), 9))
    assert says_it_knows(known, 1) == {2, 3} and known.holders == (0, 0, 1, 1, 2, 2, *[STOCK] * 3)
    known = followed(deal, known, 1, PutAway((0,)), Look(1, 1))
    assert says_it_knows(known, 1) == {2, 3, 6} and known.holders[2] == NOBODY
    known = followed(deal, known, EVERYBODY, Shuffle(), Look(1, EVERYBODY))
    assert (
        says_it_knows(known, 1) == {3, 6, 2}
        and known.public.keys() == {2}
        and known.holders[2] == EVERYBODY
    )
    assert known.layers[7] == known.layers[8] == {0, 1, 2} and known.layers[2] == frozenset()


@pytest.mark.slow
def test_own_deck_facts_cover_owner_and_turned_cards():
    deal = begin_piles(3, [Pile(3, owner=seat, face_up_places=(2,)) for seat in range(3)], 6)
    known = settled(deal, initial_knowledge(0, (0, 1, 2), 9))
    assert known.holders == (0, 0, 0, 1, 1, 1, 2, 2, 2) and known.public.keys() == {2, 5, 8}
    assert says_it_knows(known, 1) - known.public.keys() == {3, 4}
    known = followed(deal, known, 1, Turn(1, (0,)))
    assert known.public.keys() == {2, 3, 5, 8} and says_it_knows(
        known, 1
    ) - known.public.keys() == {4}
    known = followed(deal, known, EVERYBODY, Shuffle(1))
    assert known.public.keys() == {2, 5, 8} and says_it_knows(known, 1) - known.public.keys() == {
        3,
        4,
    }
    assert all(half.hand == () for half in deal.seats)


def test_returned_cards_are_hidden_before_the_first_shuffle():
    deal = begin(2, 6, 1, 4)
    settled(deal, initial_knowledge(0, (0, 1), 6))
    before = deal.state
    deal.state = VERIFIED.apply_operation(
        VERIFIED.apply_operation(before, 0, PutAway((0,)), [], 9), EVERYBODY, Shuffle(), [], 9
    )
    facts = VERIFIED.facts(before, 0, Post("move", [[], []]), deal.state)
    assert facts == (Transfer((0,), 0, STOCK), Sealing(EVERYBODY, (0,), (0, 1)))


def test_commutative_shown_facts_last_until_keys_are_opened():
    deal = commutative_deal(2, 8, 2, 3)
    before = deal.state
    card = before.hidden_of(0)[0]
    deal.show(0, 7, [card])
    assert COMMUTATIVE.facts(before, 0, Post("move", []), deal.state) == (
        Opening(0, (card,)),
        Reading(EVERYBODY, (card,), (7,)),
    )


def test_commitment_reveals_nothing():
    deal = begin(2, 6, 1, 1)
    assert initial_knowledge(0, (0, 1), 6) == apply_facts(
        initial_knowledge(0, (0, 1), 6), [Commitment(0, HAND_PHRASE)]
    )
    assert VERIFIED.facts(deal.state, 0, Post("move", []), deal.state) == ()
