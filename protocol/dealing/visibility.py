"""Hands and loose cards that seats could read, reconstructed from the states of a finished deal."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from protocol.games import Piece
from protocol.games.operations import Card

S = TypeVar("S")

# A hand as a finished log shows it. None stands for a piece that was never opened.
RevealedHand = tuple[Piece | None, ...]
# Function of (state, seat): the hand that the seat had. None: the seat's program did not look.
RevealedHands = Callable[[S, int], RevealedHand | None]
# Function of (state, seat): pieces of the loose cards that the seat could read. None: a piece that
# was never opened.
SeenCards = Callable[[S, int], Mapping[Card, Piece | None]]


class ShownCardState(Protocol):
    """Public half in which a shown card is proved at once, and places in the deck are reused."""

    @property
    def deck(self) -> Sequence[Hashable]:
        """Encryption of each card; it changes whenever the card is hidden again."""

    @property
    def shown(self) -> Mapping[Card, Piece]:
        """Pieces of the cards that are shown now."""

    @property
    def ready(self) -> bool:
        """True if all requested cards have reached their holders and no step is under way."""

    def hidden_of(self, seat: int) -> tuple[Card, ...]:
        """Return the hand of a seat: cards that it holds and has not shown, ascending."""


class LooseCardState(Protocol):
    """Public half that records which seats have looked at which loose card."""

    @property
    def deck(self) -> Sequence[Hashable]:
        """Encryption of each card; it changes whenever the card is hidden again."""

    @property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Pieces of the loose cards that are public now."""

    @property
    def card_readers(self) -> Mapping[Card, frozenset[int]]:
        """Seats that have looked at each card."""


def shown_hands(states: Sequence[ShownCardState]) -> RevealedHands[ShownCardState]:
    """Return the hand of each seat in any state in which all requested cards have arrived.

    Cards are identified by their encryption, because places in the deck are reused. A hand that
    was never shown stays hidden for ever.
    """
    changes = [
        states[0],
        *(after for before, after in pairwise(states) if after.shown != before.shown),
    ]
    read = {state.deck[card]: piece for state in changes for card, piece in state.shown.items()}

    def hand(state: ShownCardState, seat: int) -> RevealedHand | None:
        return (
            tuple(read.get(state.deck[card]) for card in state.hidden_of(seat))
            if state.ready
            else None
        )

    return hand


def cards_by_reader(states: Sequence[LooseCardState]) -> SeenCards[LooseCardState]:
    """Return the cards that each seat has looked at, and the public cards.

    Cards that one seat alone has shuffled are absent, although that seat can still tell them apart.
    """
    read: dict[Hashable, Piece] = {}
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
