"""A pack of 52 cards as pieces: 0 is the two of clubs, 51 the ace of spades; by rank, then by
suit.
"""

from protocol.games import Hand, Piece

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)


def code(pieces: Hand) -> str:
    """Cards as pokerkit writes them: "AsKd"."""
    return "".join(CARDS[piece] for piece in pieces)


def rank(piece: Piece) -> int:
    """0 for a two … 12 for an ace."""
    return piece // len(SUITS)
