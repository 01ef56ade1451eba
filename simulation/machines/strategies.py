"""How a player plays: a function outside, which is given what a person at the table could see, and
nothing more.

A strategy is a generator. It is made with what its player sees at the start, gives one choice after
the other, and is sent what its player sees when that has been done.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import NamedTuple

from simulation.machines.messages import LayVerdict, Seen
from simulation.machines.piles import colour, number


class PlayerSight(NamedTuple):
    """What a person could see: the own open cards and piles, what the last looks at neighbours
    showed, and what became of the last lay. No card that is not turned up, and not what others have
    not been asked."""

    me: int
    neighbours: tuple[int, ...]
    row: tuple[int, ...]  # pieces, from the left
    top: int | None  # of the own discards
    heights: tuple[int, ...]  # of the own piles, by colour
    seen: Mapping[int, Seen]  # by neighbour
    result: LayVerdict | None


class PutCard(NamedTuple):
    """Lay the card of a slot (the one behind the row: the discards' top) on a pile of this
    player's.
    """

    slot: int
    at: int


class LookAtNeighbour(NamedTuple):
    """Look at a neighbour."""

    at: int


class Flip(NamedTuple):
    """Three cards from the hand."""


Choice = PutCard | LookAtNeighbour | Flip
StrategyRun = Generator[Choice, PlayerSight, None]
Strategy = Callable[[PlayerSight], StrategyRun]
FLIP = Flip()


def blind(sight: PlayerSight) -> StrategyRun:
    """The paper's: every open card, from the left, to the own piles, then to each neighbour. A
    success begins again; when nothing has fitted, flip."""
    while True:
        sight = yield from _try_everywhere(sight)


def _try_everywhere(sight: PlayerSight) -> Generator[Choice, PlayerSight, PlayerSight]:
    for slot, piece in _open(sight):
        for at in (sight.me,) if number(piece) == 1 else (sight.me, *sight.neighbours):
            sight = yield PutCard(slot, at)
            if sight.result is LayVerdict.LAID:
                return sight
    return (yield FLIP)


def look_first(sight: PlayerSight) -> StrategyRun:
    """Ours: look at a neighbour's piles once, and offer only what fits them."""
    while True:
        sight = yield from _look_everywhere(sight)


def _look_everywhere(sight: PlayerSight) -> Generator[Choice, PlayerSight, PlayerSight]:
    for slot, _ in _open(sight):
        sight = yield PutCard(slot, sight.me)
        if sight.result is LayVerdict.LAID:
            return sight
    for at in sight.neighbours:
        sight = yield LookAtNeighbour(at)
        fitting = [
            slot
            for slot, piece in _open(sight)
            if sight.seen[at].heights[colour(piece)] == number(piece) - 1 > 0
        ]
        if fitting:
            sight = yield PutCard(fitting[0], at)
            if sight.result is LayVerdict.LAID:
                return sight
    return (yield FLIP)


def _open(sight: PlayerSight) -> Iterator[tuple[int, int]]:
    """The cards that may be laid, with their slots."""
    yield from enumerate(sight.row)
    if sight.top is not None:
        yield len(sight.row), sight.top


STRATEGIES: dict[str, Strategy] = {"blind": blind, "look": look_first}
