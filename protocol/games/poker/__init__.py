"""Poker: `rules.Poker` is the game, its state is `state.PokerState`, and `betting` plays a hand.
`edition_1` has the rules of earlier matches.
"""
