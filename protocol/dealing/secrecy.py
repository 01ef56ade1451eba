"""Promises of a dealing protocol to a player: who together can read its hand, and what happens when
a seat leaves.
"""

from typing import NamedTuple

from protocol.view.phrase import Phrase, phrase


class Secrecy(NamedTuple):
    """Promises of a dealing protocol with given options at the start of a match.

    Phrases are whole sentences.
    """

    colluders: (
        int | None
        # Least number of other players who, together with the table, can read a hand. None: even
        # all of them cannot.
    )
    hand: Phrase  # the same promise for people; of own decks, if the game has own decks
    leaving: Phrase  # fate of the match when a seat leaves


MATCH_VOID = phrase("terms.leaving.void")


def leaving_phrase(seats: int) -> Phrase:
    """Return the fate of a match of `seats` seats that goes on after a seat has left."""
    if seats == 1:
        return phrase("terms.leaving.only")
    return phrase("terms.leaving.others" if seats > 2 else "terms.leaving.alone")
