"""Poker: `rules.Poker` is the game; its state is `state.PokerState`. Needs the extra `poker`
(pokerkit).
"""
