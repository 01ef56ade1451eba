"""Phrases that tell people what an entry of a deal does.

Each protocol lists the phrases of its kinds beside the shapes of their bodies.
"""

from collections.abc import Callable
from typing import NamedTuple

from protocol.schema import Fields
from protocol.view.phrase import Phrase, SeatRef, phrase


class PostedEntry(NamedTuple):
    """Accepted entry of a log, with the data that a phrase needs."""

    author: int
    body: Fields
    seats: int  # number of seats in the match


EntryMeaning = Callable[[PostedEntry], Phrase]  # phrase for an entry


def fixed_phrase(key: str) -> EntryMeaning:
    """Return a meaning that is the same phrase for every entry of a kind."""
    return lambda posted: phrase(key)


def count_phrase(key: str, place: int = 0, each: int = 1) -> EntryMeaning:
    """Return a meaning that counts the items in element `place` of the body.

    `each` is the size of an item in elements of the list, or in bytes.
    """
    return lambda posted: phrase(key, count=len(posted.body[place]) // each)


def next_seat_phrase(key: str) -> EntryMeaning:
    """Return a meaning that names the seat after the author's."""
    return lambda posted: phrase(key, next=SeatRef((posted.author + 1) % posted.seats))


def seat_phrase(seat: int) -> Phrase:
    """Return a phrase that names a seat."""
    return phrase("match.name", who=SeatRef(seat))
