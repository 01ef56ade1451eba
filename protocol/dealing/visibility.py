"""Loose cards that seats have seen, reconstructed from the states of a finished deal."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

from protocol.games import Piece
from protocol.games.operations import Card

# Function of (state, seat): pieces of the loose cards that the seat could read. None: a piece that
# was never opened.
SeenCards = Callable[[Any, int], Mapping[Card, Piece | None]]


class LooseCardState(Protocol):
    """Public half that records which seats have looked at which loose card."""

    @property
    def deck(self) -> Sequence[Any]:
        """Encryption of each card; it changes whenever the card is hidden again."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that are public now."""

    @property
    def card_readers(self) -> Mapping[Card, frozenset[int]]:
        """Seats that have looked at each card."""


def public_cards(states: Sequence[Any]) -> SeenCards:
    """Return the public cards for every seat.

    The log of this protocol does not show which seats looked at a card.
    """
    return lambda state, seat: state.public_faces


def cards_by_reader(states: Sequence[LooseCardState]) -> SeenCards:
    """Return the cards that each seat has looked at, and the public cards.

    Cards that one seat alone has shuffled are absent, although that seat can still tell them apart.
    """
    read: dict[Any, Piece] = {}
    for before, after in reversed([*pairwise(states), (states[-1], states[-1])]):
        read |= {
            after.deck[card]: piece for card, piece in after.public_faces.items() if after.deck
        }
        changed = [
            card for card, new in enumerate(after.deck) if before.deck and new != before.deck[card]
        ]
        # If only one card was hidden again, it still has the same piece.
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
