"""Dominoes, block and draw. `Dominoes` is the game; its state is `state.DominoesState`."""

from protocol.games.dominoes.rules import Dominoes

__all__ = ["Dominoes"]
