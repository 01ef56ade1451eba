"""Pack of 52 cards as pieces, by rank and then by suit: 0 is the two of clubs, 51 the ace of
spades.
"""

from protocol.games import Hand, Piece

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)


def code(pieces: Hand) -> str:
    """Write cards in the notation of pokerkit: "AsKd"."""
    return "".join(CARDS[piece] for piece in pieces)


def rank(piece: Piece) -> int:
    """Rank from 0 (a two) to 12 (an ace)."""
    return piece // len(SUITS)
