"""A hint for a person."""

from typing import NamedTuple

from protocol.games import Action
from protocol.view.phrase import Phrase


class Hint(NamedTuple):
    """Sentences for the person, and the move that they call the best; None if they name none."""

    told: tuple[Phrase, ...] = ()
    move: Action | None = None
