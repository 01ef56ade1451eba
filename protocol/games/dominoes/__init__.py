"""Dominoes, block and draw: `Dominoes` is the game; its state is `state.State`."""

from protocol.games.dominoes.rules import Dominoes

__all__ = ["Dominoes"]
