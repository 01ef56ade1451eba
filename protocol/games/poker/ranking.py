"""Comparison of hands, by pokerkit's ranking."""

from pokerkit import Hand as Made
from pokerkit import StandardHighHand

from protocol.games import Hand
from protocol.games.poker.cards import code
from protocol.games.poker.state import PokerState


def value(cards: Hand, board: Hand) -> Made:
    """Rate the best five of these cards; a greater value is better."""
    return StandardHighHand.from_game(code(cards), code(board))


def can_win(hand: Hand, state: PokerState) -> bool:
    """Check whether no hand shown so far beats this one. True if this is still open, as before the
    board is complete.
    """
    if len(hand) + len(state.board) < 5:
        return True
    own = value(hand, state.board)
    return all(own >= value(shown, state.board) for _, shown in state.shown)
