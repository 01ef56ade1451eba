"""Poker bot `sensible`. It plays by the strength of its hand and the price of a call, with an
occasional bluff.

The strength is the estimated chance to win, from 0 to 1. Before the flop it is computed from Chen's
points (Bill Chen's formula, in Hellmuth, "Play Poker Like the Pros"). With five cards or more it is
the share of random opposing hands that the own cards beat, to the power of the number of opponents.
"""

from collections import Counter
from itertools import combinations
from random import Random

from bots.random_bot import random_bot
from protocol.games import Action, Hand
from protocol.games.poker.cards import CARDS, SUITS, rank
from protocol.games.poker.ranking import HandKind, value
from protocol.view.board import Offer, PieceView, PokerTable, SeatSummary
from protocol.view.view import View

SAMPLES = 24  # number of random hands to compare with: gives ±0.1, and takes some milliseconds
BLUFF = 0.04  # probability of playing any hand as a strong one
# Points of ace, king, queen, jack. Other ranks count half their pips.
CHEN_HIGH = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
# points subtracted for a gap of no, one, two, three or more ranks between the cards
CHEN_GAP = (0, 1, 2, 4, 5)
CHEN_MOST = 20.0  # points of a pair of aces
JACK = 9
OMAHA_CARDS, OMAHA_COUNT = 4, 2  # cards of a seat at Omaha, and how many of them count
# hands of five cards that an exchange can hardly better
COMPLETE = (
    HandKind.STRAIGHT,
    HandKind.FLUSH,
    HandKind.FULL_HOUSE,
    HandKind.STRAIGHT_FLUSH,
)


def sensible_bot(view: View, rng: Random) -> Action:
    if not isinstance(view.board, PokerTable) or view.you is None:
        return random_bot(view, rng)
    offers = {offer.action[0]: offer for offer in view.offers}
    if "exchange" in offers:
        return (*offers["exchange"].action, *discards(pieces(view.hand)))
    if "rebuy" in offers:
        return offers["rebuy"].action
    if "call" not in offers:
        return view.offers[-1].action  # muck if possible, otherwise show
    if rng.random() < BLUFF:
        strength = 0.9
    else:
        strength = strength_of(view, view.board, rng)
    return _bet(view.seats[view.you].game, view.board.pot, offers, strength, rng)


def _bet(
    own: SeatSummary, pot: int, offers: dict[str, Offer], strength: float, rng: Random
) -> Action:
    """Raise with a strong hand, call while this pays on average, otherwise fold."""
    cost = offers["call"].cost
    # the higher the bet to call, the stronger the opponent's hand probably is
    strength **= 1 + 2 * cost / own.score
    amount = offers["raise"].amount if "raise" in offers else None
    if amount and strength > 0.65 + 0.1 * rng.random():
        bet = own.bet + cost + round((pot + cost) * rng.uniform(0.5, 1.0))
        return ("raise", min(max(bet, amount.least), amount.most))
    if "fold" not in offers or strength > cost / (pot + cost):
        return ("call",)
    return ("fold",)


def strength_of(view: View, board: PokerTable, rng: Random) -> float:
    """Estimate the chance to win."""
    others = sum(seat.game.held > 0 for seat in view.seats if seat.seat != view.you)
    hand = pieces(view.hand)
    turned_up = pieces(board.cards)
    if len(hand) < 5 and not turned_up:
        points = max(map(chen, combinations(hand, 2)))
        return float(min(1.0, 0.3 + 0.7 * max(points, 0.0) / CHEN_MOST) ** ((others + 1) / 2))
    unseen = [piece for piece in range(len(CARDS)) if piece not in hand and piece not in turned_up]
    count = OMAHA_COUNT if len(hand) == OMAHA_CARDS else 0
    own = value(hand, turned_up, count)
    drawn = (tuple(rng.sample(unseen, len(hand))) for _ in range(SAMPLES))
    won = sum(
        1.0 if own > theirs else 0.5 * (own == theirs)
        for theirs in (value(cards, turned_up, count) for cards in drawn)
    )
    return float((won / SAMPLES) ** others)


def pieces(cards: tuple[PieceView, ...]) -> Hand:
    """Return the numbers of the cards."""
    return tuple(card.index for card in cards)


def chen(hand: Hand) -> float:
    """Compute Chen's points of two cards: from −1 for the worst hand to 20 for two aces."""
    low, high = sorted(map(rank, hand))
    points = CHEN_HIGH.get(high, (high + 2) / 2)
    if low == high:
        return max(5.0, 2 * points)
    gap = high - low - 1
    points -= CHEN_GAP[min(gap, len(CHEN_GAP) - 1)]
    points += 2.0 if hand[0] % len(SUITS) == hand[1] % len(SUITS) else 0.0
    return points + 1.0 if gap <= 1 and high < JACK + 1 else points


def discards(hand: Hand) -> tuple[int, ...]:
    """Return the places of the cards to exchange.

    The bot keeps, in this order of preference: a complete hand; pairs and threes; four cards of a
    suit; four consecutive ranks; at most two cards above a jack.
    """
    ranks = Counter(map(rank, hand))
    if value(hand, ()).kind in COMPLETE:
        return ()
    if max(ranks.values()) > 1:
        return tuple(place for place, piece in enumerate(hand) if ranks[rank(piece)] == 1)
    for kept in (_four_of_a_suit(hand), _four_in_a_row(hand)):
        if kept:
            return tuple(place for place, piece in enumerate(hand) if piece not in kept)
    best = sorted(hand, reverse=True)[:2]
    return tuple(
        place for place, piece in enumerate(hand) if piece not in best or rank(piece) <= JACK
    )


def _four_of_a_suit(hand: Hand) -> tuple[int, ...]:
    suits = Counter(piece % len(SUITS) for piece in hand)
    suit, count = suits.most_common(1)[0]
    if count == 4:
        return tuple(piece for piece in hand if piece % len(SUITS) == suit)
    return ()


def _four_in_a_row(hand: Hand) -> tuple[int, ...]:
    ordered = sorted(hand)
    runs = (tuple(ordered[start : start + 4]) for start in (0, 1))
    return next((run for run in runs if rank(run[3]) - rank(run[0]) == 3), ())
