"""What the entries of a deal say. What the kinds of one protocol mean stands beside the shapes of
their bodies.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from protocol.view.phrase import Phrase, Who, phrase


class Posted(NamedTuple):
    """An entry that stands in a log."""

    author: int
    body: list[Any]
    seats: int  # of the match


Meaning = Callable[[Posted], Phrase]  # what an author did by an entry


def say(key: str) -> Meaning:
    """The same for every entry of a kind."""
    return lambda posted: phrase(key)


def count(key: str, place: int = 0, each: int = 1) -> Meaning:
    """With how many things there are in the list, or in bytes of `each` to a thing, at this place
    of the body.
    """
    return lambda posted: phrase(key, count=len(posted.body[place]) // each)


def next_seat(key: str) -> Meaning:
    """With the seat after the author's."""
    return lambda posted: phrase(key, next=Who((posted.author + 1) % posted.seats))


def name(seat: int) -> Phrase:
    """A seat by its name."""
    return phrase("match.name", who=Who(seat))
