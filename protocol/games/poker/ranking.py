"""Which hand is better, as pokerkit ranks them."""

from pokerkit import Hand as Made
from pokerkit import StandardHighHand

from protocol.games import Hand
from protocol.games.poker.cards import code
from protocol.games.poker.state import PokerState


def value(cards: Hand, board: Hand) -> Made:
    """The best five of these; the greater, the better."""
    return StandardHighHand.from_game(code(cards), code(board))


def can_win(hand: Hand, state: PokerState) -> bool:
    """Whether no hand that was shown so far is better; who cannot say, as before the board is
    complete, may.
    """
    if len(hand) + len(state.board) < 5:
        return True
    own = value(hand, state.board)
    return all(own >= value(shown, state.board) for _, shown in state.shown)
