"""Hint for a person: sentences, and the move that they call the best."""

from typing import NamedTuple

from protocol.games import Action
from protocol.view.phrase import Phrase


class Hint(NamedTuple):
    """What a person is told. Without a move if there is none to name."""

    told: tuple[Phrase, ...] = ()
    move: Action | None = None
