"""Poker: `rules.Poker` is the game; its state is `state.State`. Needs the extra `poker`
(pokerkit).
"""
