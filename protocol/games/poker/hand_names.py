"""Names of hands: "a pair of tens", "a flush, king high"."""

from protocol.games import Hand
from protocol.games.poker.ranking import ACE, HandKind, value
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
HIGH_CARD_KEYS = {  # hands that people name by the highest card
    HandKind.HIGH_CARD: "poker.made.high_card",
    HandKind.STRAIGHT: "poker.made.straight",
    HandKind.FLUSH: "poker.made.flush",
    HandKind.STRAIGHT_FLUSH: "poker.made.straight_flush",
}
SAME_RANK_KEYS = {  # hands that people name by their most frequent ranks
    HandKind.ONE_PAIR: "poker.made.one_pair",
    HandKind.TWO_PAIR: "poker.made.two_pair",
    HandKind.THREE_OF_A_KIND: "poker.made.three_of_a_kind",
    HandKind.FULL_HOUSE: "poker.made.full_house",
    HandKind.FOUR_OF_A_KIND: "poker.made.four_of_a_kind",
}
TWO_RANKS = (HandKind.TWO_PAIR, HandKind.FULL_HOUSE)


def hand_phrase(cards: Hand, board: Hand, own: int = 0) -> Phrase | None:
    """Name the best hand of cards and board together, with exactly `own` of the cards if not 0.
    None if there are too few cards.
    """
    if not cards or len(cards) + len(board) < 5 or len(board) < min(own, 1) * (5 - own):
        return None
    kind, ranks = value(cards, board, own)
    if kind in TWO_RANKS:
        return phrase(
            SAME_RANK_KEYS[kind], ranks=_rank_phrase(ranks[0], 2), others=_rank_phrase(ranks[1], 2)
        )
    if kind in SAME_RANK_KEYS:
        return phrase(SAME_RANK_KEYS[kind], ranks=_rank_phrase(ranks[0], 2))
    if kind is HandKind.STRAIGHT_FLUSH and ranks[0] == ACE:
        return phrase("poker.made.royal_flush")
    return phrase(HIGH_CARD_KEYS[kind], high=_rank_phrase(ranks[0], 1))


def _rank_phrase(rank: int, count: int) -> Phrase:
    return phrase(RANK_WORDS[rank], count=count)
