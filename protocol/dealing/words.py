"""Words for people about the entries of a deal. What the kinds of one protocol mean stands beside their shapes."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Posted(NamedTuple):
    """An entry that stands in a log."""

    author: int
    body: list[Any]
    names: Sequence[str]  # what the seats are called


Meaning = Callable[[Posted], str]  # what an author did by an entry, in words that follow its name


def say(words: str) -> Meaning:
    """The same words for every entry of a kind."""
    return lambda posted: words


def count(words: str, place: int = 0, each: int = 1) -> Meaning:
    """Words with how many things there are in the list, or in bytes of `each` to a thing, at this place of the body."""
    return lambda posted: words.format(len(posted.body[place]) // each)


def next_seat(words: str) -> Meaning:
    """Words with the name of the seat after the author's."""
    return lambda posted: words.format(posted.names[(posted.author + 1) % len(posted.names)])
