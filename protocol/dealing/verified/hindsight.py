"""Hands of a verified deal, reconstructed after its end.

A hand that was never shown stays hidden for ever.
"""

from collections.abc import Sequence
from itertools import pairwise

from protocol.dealing import RevealedHand, RevealedHands
from protocol.dealing.verified.state import VerifiedState


def shown_hands(states: Sequence[VerifiedState]) -> RevealedHands:
    """Return the hand of each seat in any state in which all requested cards have arrived.

    Cards are identified by their ciphertexts, because places in the deck are reused.
    """
    changes = [
        states[0],
        *(after for before, after in pairwise(states) if after.shown != before.shown),
    ]
    read = {state.deck[card]: piece for state in changes for card, piece in state.shown.items()}

    def hand(state: VerifiedState, seat: int) -> RevealedHand | None:
        return (
            tuple(read.get(state.deck[card]) for card in state.hidden_of(seat))
            if state.ready
            else None
        )

    return hand
