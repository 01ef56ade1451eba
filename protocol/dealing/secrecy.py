"""What a player relies on when it is dealt to: who together can know its hand, and what a seat that
leaves does.
"""

from typing import NamedTuple

from protocol.view.phrase import Phrase, phrase


class Secrecy(NamedTuple):
    """What a dealing protocol, with its options, promises when a match begins. Phrases are whole
    sentences.
    """

    colluders: (
        int | None
        # how many other players it takes at least to know a hand, with the table; None: all are too
        # few
    )
    hand: Phrase  # the same for people; of own decks, where a game has those
    leaving: Phrase  # what becomes of the match when a seat leaves


MATCH_VOID = phrase("terms.leaving.void")


def leaving_phrase(seats: int) -> Phrase:
    """What becomes of a match of so many seats that goes on without one."""
    if seats == 1:
        return phrase("terms.leaving.only")
    return phrase("terms.leaving.others" if seats > 2 else "terms.leaving.alone")
