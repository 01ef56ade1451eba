"""What the seats of a residue deal knew, read afterwards: a folded hand was never shown, and stays
hidden for ever.
"""

from collections.abc import Sequence
from itertools import pairwise

from protocol.dealing import RevealedHand, RevealedHands
from protocol.dealing.residue.state import ResidueState


def shown_hands(states: Sequence[ResidueState]) -> RevealedHands:
    """A seat's program reads its cards when all have arrived. A card is known by its numbers:
    places are reused.
    """
    changes = [
        states[0],
        *(after for before, after in pairwise(states) if after.shown != before.shown),
    ]
    read = {state.deck[card]: piece for state in changes for card, piece in state.shown.items()}

    def hand(state: ResidueState, seat: int) -> RevealedHand | None:
        return (
            tuple(read.get(state.deck[card]) for card in state.hidden_of(seat))
            if state.ready
            else None
        )

    return hand
