"""Honest commutative deals: every card occurs once, hands are hidden, exchanged and turned up, and
the check finds nothing.
"""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.dealing.card_state import pieces_by_point
from tests.support.commutative import CommutativeDeal, commutative_deal
from tests.support.offline import make_offline


def opened_by(deal: CommutativeDeal, card: int, seats) -> int | None:
    """Return the piece of a fully packed card after these seats have removed their layers."""
    point = deal.state.deck[card]
    for seat in seats:
        point = deal.seats[seat]._inverse * point
    return pieces_by_point(deal.state.context.piece_count).get(point)


@pytest.mark.parametrize(
    ("seats", "pieces", "each"), [(2, 52, 5), (3, 28, 7), (6, 20, 2), (10, 52, 5), (2, 2, 1)]
)
def test_commutative_deal_has_every_piece_once(seats, pieces, each):
    deal = commutative_deal(seats, pieces, each, seed=seats)
    assert deal.state.ready
    assert [len(hand) for hand in deal.hands] == [each] * seats
    assert sorted(opened_by(deal, card, range(seats)) for card in range(pieces)) == list(
        range(pieces)
    )
    hands = deal.hands
    assert deal.close() == []
    assert deal.state.result.dealt == tuple(tuple(sorted(hand)) for hand in hands)


def test_deal_steps_are_commit_pack_choose_then_unwrap():
    assert commutative_deal().kinds == [
        (0, "commit"),
        (1, "commit"),
        (0, "pack"),
        (1, "pack"),
        (1, "choose"),
        (1, "unwrap"),
        (0, "unwrap"),
    ]


def test_card_is_unreadable_without_its_holder():
    deal = commutative_deal(3, 12, 2)
    for card in range(12):
        holder = deal.state.holders.get(card)
        for size in range(3):
            for others in combinations([seat for seat in range(3) if seat != holder], size):
                assert opened_by(deal, card, others) is None
    # as it lies now, with all other layers removed
    for card, holder in deal.state.holders.items():
        for other in range(3):
            seen = pieces_by_point(12).get(deal.seats[other]._inverse * deal.state.points[card])
            assert (seen is not None) is (other == holder)


def test_exchange_gives_new_cards_and_retires_old_ones():
    deal = commutative_deal(2, 52, 5)
    before = deal.hands[0]
    deal.exchange(0, 1, 3)
    after = deal.hands[0]
    assert len(after) == 5 and set(before) - set(after) == {before[1], before[3]}
    put_away = [card for card, holder in deal.state.holders.items() if holder == -2]
    assert {opened_by(deal, card, [0, 1]) for card in put_away} == {before[1], before[3]}
    assert not set(put_away) & set(deal.state.stock)
    assert deal.close() == []


def test_turned_up_card_is_read_by_all():
    deal = commutative_deal(3, 52, 2)
    deal.turn_up(3)
    deal.turn_up(1)
    assert len(deal.state.turned_up) == 4
    assert not set(deal.state.turned_up) & {piece for hand in deal.hands for piece in hand}
    assert deal.close() == []


def test_draws_are_reported_in_order():
    deal = commutative_deal(2, 20, 3)
    dealt = deal.hands[1]
    deal.draw(1)
    deal.draw(0)
    deal.draw(1)
    drawn = set(deal.hands[1]) - set(dealt)
    assert deal.close() == []
    assert set(deal.state.result.drawn[1]) == drawn and len(deal.state.result.drawn[0]) == 1


@pytest.mark.slow
def test_commutative_deal_is_uniform():
    counts = Counter(
        (seat, piece) for seed in range(300) for seat, hand in _hands(seed) for piece in hand
    )
    expected = 300 * 2 / 6
    chi_square = sum(
        (counts[seat, piece] - expected) ** 2 / expected for seat in range(2) for piece in range(6)
    )
    assert chi_square < 31.3  # 11 degrees of freedom, p = 0.001


def _hands(seed):
    return enumerate(commutative_deal(2, 6, 2, seed).hands)


@pytest.mark.match
@pytest.mark.parametrize(
    ("game", "seats"), [("block-dominoes", 2), ("draw-dominoes", 2), ("block-dominoes", 4)]
)
def test_whole_commutative_matches_are_clean(game, seats):
    offline = make_offline(seats, 5, game, dealing="commutative")
    offline.play()
    report = audit(offline.file())
    assert (report.verdict, report.faults, offline.refused) == (Verdict.CLEAN, (), [])


def test_hand_is_the_same_on_every_query():
    deal = commutative_deal(2, 20, 4, seed=Random(3).randrange(100))
    assert deal.seats[0].next_post(deal.state) is None
    assert deal.hands == deal.hands
