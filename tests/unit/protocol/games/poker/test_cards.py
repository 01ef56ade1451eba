"""pokerkit's ranking of hands is that of poker: the number of hands in each class, and the names of
cards.
"""

from collections import Counter
from itertools import combinations_with_replacement, pairwise
from math import comb, prod

import pytest
from pokerkit import Card, StandardHighHand

from protocol.games.poker.cards import CARDS, RANKS, code, rank

# From shared/vectors: number of five-card hands by class, the best first.
COUNTS = {
    "Straight flush": 40,
    "Four of a kind": 624,
    "Full house": 3744,
    "Flush": 5108,
    "Straight": 10200,
    "Three of a kind": 54912,
    "Two pair": 123552,
    "One pair": 1098240,
    "High card": 1302540,
}


def hand(ranks: tuple[int, ...], suited: bool) -> StandardHighHand:
    """Return a hand with these ranks, of one suit if `suited`, otherwise of several."""
    suits = "ccccc" if suited else "cdhsc"
    return StandardHighHand(
        "".join(RANKS[rank] + suit for rank, suit in zip(ranks, suits, strict=True))
    )


@pytest.mark.slow
def test_number_of_hands_in_each_class() -> None:
    """All 2,598,960 hands: each multiset of ranks once suited and once not, with its
    multiplicity.
    """
    found: Counter[str] = Counter()
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
                found[str(made.entry.label.value)] += number
                values.add(made.entry.index)
    assert found == COUNTS
    assert sum(found.values()) == comb(52, 5) == 2_598_960
    assert len(values) == 7462  # number of hands that differ in more than suits


def test_classes_beat_each_other_in_order() -> None:
    best = [
        "AsKsQsJsTs",
        "2c2d2h2s3c",
        "2c2d2h3s3c",
        "2c4c5c6c7c",
        "Ac2d3h4s5c",
        "2c2d2h3s4c",
        "2c2d3h3s4c",
    ]
    best += ["2c2d3h4s5c", "2c3d4h5s7c"]
    ordered = [StandardHighHand(each) for each in best]
    assert [str(each.entry.label.value) for each in ordered] == list(COUNTS)
    assert all(better > worse for better, worse in pairwise(ordered))


def test_pieces_match_card_names_of_pokerkit() -> None:
    assert len(set(CARDS)) == 52 and (CARDS[0], CARDS[51]) == ("2c", "As")
    for piece in range(52):
        (card,) = Card.parse(code((piece,)))
        assert (card.rank + card.suit, RANKS.index(card.rank)) == (CARDS[piece], rank(piece))
