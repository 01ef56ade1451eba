"""Names of hands: "a pair of tens", "a flush, king high"."""

from collections import Counter

from pokerkit import Hand as Made

from protocol.games import Hand
from protocol.games.poker.cards import RANKS
from protocol.games.poker.ranking import value
from protocol.view.phrase import Phrase, phrase

RANK_WORDS = (
    "poker.rank.two",
    "poker.rank.three",
    "poker.rank.four",
    "poker.rank.five",
    "poker.rank.six",
    "poker.rank.seven",
    "poker.rank.eight",
    "poker.rank.nine",
    "poker.rank.ten",
    "poker.rank.jack",
    "poker.rank.queen",
    "poker.rank.king",
    "poker.rank.ace",
)
HIGH_CARD_KEYS = {  # by pokerkit's name of the hand: hands that people name by the highest card
    "High card": "poker.made.high_card",
    "Straight": "poker.made.straight",
    "Flush": "poker.made.flush",
    "Straight flush": "poker.made.straight_flush",
}
# by pokerkit's name of the hand: hands that people name by their most frequent ranks
SAME_RANK_KEYS = {
    "One pair": "poker.made.one_pair",
    "Two pair": "poker.made.two_pair",
    "Three of a kind": "poker.made.three_of_a_kind",
    "Full house": "poker.made.full_house",
    "Four of a kind": "poker.made.four_of_a_kind",
}
TWO_RANKS = ("Two pair", "Full house")
FIVE, ACE = RANKS.index("5"), RANKS.index("A")


def hand_phrase(cards: Hand, board: Hand) -> Phrase | None:
    """Name the best hand of cards and board together; None if there are fewer than five cards."""
    if not cards or len(cards) + len(board) < 5:
        return None
    best = value(cards, board)
    label, ranks = str(best.entry.label.value), _sorted_ranks(best)
    if label in TWO_RANKS:
        return phrase(
            SAME_RANK_KEYS[label], ranks=_rank_phrase(ranks[0], 2), others=_rank_phrase(ranks[1], 2)
        )
    if label in SAME_RANK_KEYS:
        return phrase(SAME_RANK_KEYS[label], ranks=_rank_phrase(ranks[0], 2))
    wheel = label.startswith("Straight") and ranks[:2] == [ACE, FIVE]
    if label == "Straight flush" and ranks[0] == ACE and not wheel:
        return phrase("poker.made.royal_flush")
    return phrase(HIGH_CARD_KEYS[label], high=_rank_phrase(FIVE if wheel else ranks[0], 1))


def _sorted_ranks(best: Made) -> list[int]:
    """Sort the ranks of five cards: most frequent first, then highest first."""
    counted = Counter(RANKS.index(card.rank) for card in best.cards)
    return sorted(counted, key=lambda rank: (counted[rank], rank), reverse=True)


def _rank_phrase(rank: int, count: int) -> Phrase:
    return phrase(RANK_WORDS[rank], count=count)
