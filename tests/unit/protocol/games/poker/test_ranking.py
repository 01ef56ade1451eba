"""Ranking of hands: the number of hands in each class is that of poker, and pokerkit ranks alike."""

from collections import Counter
from itertools import combinations_with_replacement, pairwise
from math import comb, prod
from random import Random

import pytest
from pokerkit import Card, OmahaHoldemHand, StandardHighHand

from protocol.games.poker.cards import CARDS, RANKS, SUITS, code, rank
from protocol.games.poker.ranking import HandKind, HandValue, value
from tests.support.poker import cards

# From shared/vectors: number of five-card hands by class, the best first.
COUNTS = {
    HandKind.STRAIGHT_FLUSH: 40,
    HandKind.FOUR_OF_A_KIND: 624,
    HandKind.FULL_HOUSE: 3744,
    HandKind.FLUSH: 5108,
    HandKind.STRAIGHT: 10200,
    HandKind.THREE_OF_A_KIND: 54912,
    HandKind.TWO_PAIR: 123552,
    HandKind.ONE_PAIR: 1098240,
    HandKind.HIGH_CARD: 1302540,
}


def hand(ranks: tuple[int, ...], suited: bool) -> HandValue:
    """Rate a hand with these ranks, of one suit if `suited`, otherwise of several."""
    suits = (0,) * 5 if suited else (0, 1, 2, 3, 0)
    pieces = (len(SUITS) * rank + suit for rank, suit in zip(ranks, suits, strict=True))
    return value(tuple(pieces), ())


@pytest.mark.slow
def test_number_of_hands_in_each_class() -> None:
    """All 2,598,960 hands: each multiset of ranks once suited and once not, with its
    multiplicity.
    """
    found: Counter[HandKind] = Counter()
    values = set()
    for ranks in combinations_with_replacement(range(13), 5):
        counts = Counter(ranks)
        if max(counts.values()) > 4:
            continue
        ways = prod(comb(4, count) for count in counts.values())
        suited = 4 if len(counts) == 5 else 0
        for number, flush in ((ways - suited, False), (suited, True)):
            if number:
                made = hand(ranks, flush)
                found[made.kind] += number
                values.add(made)
    assert found == COUNTS
    assert sum(found.values()) == comb(52, 5) == 2_598_960
    assert len(values) == 7462  # number of hands that differ in more than suits


def test_classes_beat_each_other_in_order() -> None:
    best = [
        "As Ks Qs Js Ts",
        "2c 2d 2h 2s 3c",
        "2c 2d 2h 3s 3c",
        "2c 4c 5c 6c 7c",
        "Ac 2d 3h 4s 5c",
        "2c 2d 2h 3s 4c",
        "2c 2d 3h 3s 4c",
        "2c 2d 3h 4s 5c",
        "2c 3d 4h 5s 7c",
    ]
    ordered = [value(cards(each), ()) for each in best]
    assert [each.kind for each in ordered] == list(COUNTS)
    assert all(better > worse for better, worse in pairwise(ordered))


@pytest.mark.parametrize(("count", "own"), [(5, 0), (7, 0), (9, 2)])
def test_value_orders_hands_as_pokerkit_does(count: int, own: int) -> None:
    rng = Random(count)
    before = None
    for _ in range(300):
        dealt = tuple(rng.sample(range(52), count))
        held, board = (dealt[:4], dealt[4:]) if own else (dealt[:2], dealt[2:])
        kind = OmahaHoldemHand if own else StandardHighHand
        theirs = kind.from_game(code(held), code(board))
        mine = value(held, board, own)
        if before is not None:
            assert (mine > before[0], mine == before[0]) == (
                theirs > before[1],
                theirs == before[1],
            )
        before = mine, theirs


@pytest.mark.parametrize(
    ("dealt", "kind", "ranks"),
    [
        ("As As Ad Ah Ac", HandKind.FOUR_OF_A_KIND, "AA"),
        ("As As Kd Kh Qc", HandKind.TWO_PAIR, "AKQ"),
        ("As As Ks Qs Js", HandKind.FLUSH, "AAKQJ"),
    ],
)
def test_card_that_appears_twice_counts_twice(dealt: str, kind: HandKind, ranks: str) -> None:
    """Some dealings find a false card only later (18.5.3, 18.12.3)."""
    assert value(cards(dealt), ()) == HandValue(kind, tuple(map(RANKS.index, ranks)))


def test_pieces_match_card_names_of_pokerkit() -> None:
    """Edition 1 writes cards in pokerkit's notation."""
    assert len(set(CARDS)) == 52 and (CARDS[0], CARDS[51]) == ("2c", "As")
    for piece in range(52):
        (card,) = Card.parse(code((piece,)))
        assert (card.rank + card.suit, RANKS.index(card.rank)) == (CARDS[piece], rank(piece))
