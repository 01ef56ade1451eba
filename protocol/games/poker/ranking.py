"""Ranking of poker hands (docs/protocol, 18.12)."""

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from itertools import combinations
from typing import NamedTuple

from protocol.games import Hand
from protocol.games.poker.cards import RANKS, SUITS, rank

FIVE, ACE = RANKS.index("5"), RANKS.index("A")


class HandKind(IntEnum):
    """Kind of a hand; a greater one is better."""

    HIGH_CARD = 0
    ONE_PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


class HandValue(NamedTuple):
    """Value of the best five cards; a greater value is better, equal values share."""

    kind: HandKind
    # Ranks that decide between hands of one kind, the most important first. A straight has only
    # that of its highest card: in A-2-3-4-5 it is the five.
    ranks: tuple[int, ...]


def value(cards: Hand, board: Hand, own: int = 0) -> HandValue:
    """Rate the best five of these cards. With `own`, exactly this number of them come from `cards`,
    as at Omaha.
    """
    if not own:
        return _value_of_all((*cards, *board))
    return max(
        _value_of_all((*mine, *others))
        for mine in combinations(cards, own)
        for others in combinations(board, 5 - own)
    )


def best_five(cards: Hand, board: Hand, own: int = 0) -> Hand:
    """Return the five of these cards with the value that `value` rates. With `own`, exactly this
    number of them come from `cards`. With several such fives, cards named first are preferred.
    """
    fives = (
        (
            (*mine, *others)
            for mine in combinations(cards, own)
            for others in combinations(board, 5 - own)
        )
        if own
        else combinations((*cards, *board), 5)
    )
    return max(fives, key=_value_of_all)


def _value_of_all(cards: Hand) -> HandValue:
    """Rate the best five of five or more cards.

    A card may appear twice where a dealing detects false cards only later (18.5.3). It then counts
    as two cards.
    """
    ranks = sorted(map(rank, cards), reverse=True)
    suits = Counter(card % len(SUITS) for card in cards)
    suit, most = suits.most_common(1)[0]
    suited = sorted((rank(card) for card in cards if card % len(SUITS) == suit), reverse=True)
    if most >= 5 and (top := _straight(suited)) is not None:
        return HandValue(HandKind.STRAIGHT_FLUSH, (top,))
    counts = Counter(ranks)
    by_count = sorted(counts, key=lambda one: (min(counts[one], 4), one), reverse=True)
    first = by_count[0]
    second = max((one for one in by_count[1:] if counts[one] >= 2), default=None)
    if counts[first] >= 4:
        return HandValue(HandKind.FOUR_OF_A_KIND, (first, _kickers(ranks, (first,) * 4, 1)[0]))
    if counts[first] == 3 and second is not None:
        return HandValue(HandKind.FULL_HOUSE, (first, second))
    if most >= 5:
        return HandValue(HandKind.FLUSH, tuple(suited[:5]))
    if (top := _straight(ranks)) is not None:
        return HandValue(HandKind.STRAIGHT, (top,))
    if counts[first] == 3:
        kickers = _kickers(ranks, (first,) * 3, 2)
        return HandValue(HandKind.THREE_OF_A_KIND, (first, *kickers))
    if counts[first] == 2 and second is not None:
        kickers = _kickers(ranks, (first, first, second, second), 1)
        return HandValue(HandKind.TWO_PAIR, (first, second, *kickers))
    if counts[first] == 2:
        return HandValue(HandKind.ONE_PAIR, (first, *_kickers(ranks, (first,) * 2, 3)))
    return HandValue(HandKind.HIGH_CARD, tuple(ranks[:5]))


def _straight(ranks: Iterable[int]) -> int | None:
    """Rank of the highest card of the best straight; None if there is none. An ace is also low."""
    found = set(ranks)
    for top in range(ACE, FIVE, -1):
        if found.issuperset(range(top - 4, top + 1)):
            return top
    return FIVE if found.issuperset((ACE, *range(FIVE + 1))) else None


def _kickers(ranks: list[int], used: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the highest `count` ranks without those `used`. `ranks` are sorted, highest first."""
    left = list(ranks)
    for one in used:
        left.remove(one)
    return tuple(left[:count])


def can_win(hand: Hand, board: Hand, shown: Iterable[tuple[int, Hand]], own: int = 0) -> bool:
    """Check whether no hand shown so far beats this one. True if this is still open, as before the
    board is complete.
    """
    if len(hand) + len(board) < 5 or (own and len(board) < 5):
        return True
    mine = value(hand, board, own)
    return all(mine >= value(other, board, own) for _, other in shown)
