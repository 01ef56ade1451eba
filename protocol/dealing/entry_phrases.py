"""What the entries of a deal say. What the kinds of one protocol mean stands beside the shapes of
their bodies.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from protocol.view.phrase import Phrase, SeatRef, phrase


class PostedEntry(NamedTuple):
    """An entry that stands in a log."""

    author: int
    body: list[Any]
    seats: int  # of the match


EntryMeaning = Callable[[PostedEntry], Phrase]  # what an author did by an entry


def fixed_phrase(key: str) -> EntryMeaning:
    """The same for every entry of a kind."""
    return lambda posted: phrase(key)


def count_phrase(key: str, place: int = 0, each: int = 1) -> EntryMeaning:
    """With how many things there are in the list, or in bytes of `each` to a thing, at this place
    of the body.
    """
    return lambda posted: phrase(key, count=len(posted.body[place]) // each)


def next_seat_phrase(key: str) -> EntryMeaning:
    """With the seat after the author's."""
    return lambda posted: phrase(key, next=SeatRef((posted.author + 1) % posted.seats))


def seat_phrase(seat: int) -> Phrase:
    """A seat by its name."""
    return phrase("match.name", who=SeatRef(seat))
