"""Hands of poker out of a log, for other programs: PHH and the text of PokerStars."""
