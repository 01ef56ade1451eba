"""What seats saw of loose cards, read afterwards from the states of a deal."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

from protocol.games import Piece
from protocol.games.operations import Card

# Of (state, seat): the loose cards that the seat knew in it; None: a piece that was never opened.
SeenCards = Callable[[Any, int], Mapping[Card, Piece | None]]


class LooseCardState(Protocol):
    """A public half that says who has looked at which loose card."""

    @property
    def deck(self) -> Sequence[Any]:
        """What hides each card; another one as soon as it is hidden anew."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """What everybody knows."""

    @property
    def card_readers(self) -> Mapping[Card, frozenset[int]]:
        """Who has looked at it."""


def public_cards(states: Sequence[Any]) -> SeenCards:
    """Where the log does not tell who saw what: that which everybody knew."""
    return lambda state, seat: state.faces


def cards_by_reader(states: Sequence[LooseCardState]) -> SeenCards:
    """Where it does. What one seat alone shuffled it knew as well: that is not told."""
    read: dict[Any, Piece] = {}
    for before, after in reversed([*pairwise(states), (states[-1], states[-1])]):
        read |= {
            after.deck[card]: piece for card, piece in after.public_faces.items() if after.deck
        }
        changed = [
            card for card, new in enumerate(after.deck) if before.deck and new != before.deck[card]
        ]
        # hidden alone: it is still the same
        if len(changed) == 1 and after.deck[changed[0]] in read:
            read[before.deck[changed[0]]] = read[after.deck[changed[0]]]

    def sees(state: LooseCardState, seat: int) -> Mapping[Card, Piece | None]:
        own = {
            card: read.get(state.deck[card])
            for card, readers in state.card_readers.items()
            if seat in readers
        }
        return {**own, **state.public_faces}

    return sees
