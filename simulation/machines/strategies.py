"""Strategies of players: a strategy sees only what a person at the table could see.

A strategy is a generator. It is made with the player's first sight, yields choices, and receives
the new sight after each choice.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import NamedTuple

from simulation.machines.messages import LayVerdict, Seen
from simulation.machines.piles import colour, number


class PlayerSight(NamedTuple):
    """Sight of a player: own open cards and piles, the last looks at neighbours, and the result of
    the last lay.
    """

    me: int
    neighbours: tuple[int, ...]
    row: tuple[int, ...]  # pieces, from the left
    top: int | None  # of the own discards
    heights: tuple[int, ...]  # of the own piles, by colour
    seen: Mapping[int, Seen]  # by neighbour
    result: LayVerdict | None


class PutCard(NamedTuple):
    """Lay the card of a slot on a pile of player `at`. The slot after the row is the top of the
    discards.
    """

    slot: int
    at: int


class LookAtNeighbour(NamedTuple):
    """Look at the piles of a neighbour."""

    at: int


class Flip(NamedTuple):
    """Flip three cards of the hand."""


Choice = PutCard | LookAtNeighbour | Flip
StrategyRun = Generator[Choice, PlayerSight, None]
Strategy = Callable[[PlayerSight], StrategyRun]
FLIP = Flip()


def blind(sight: PlayerSight) -> StrategyRun:
    """Play by the paper: try every open card, from the left, on the own piles, then at each
    neighbour.

    After a success, begin again. If no card fits, flip.
    """
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
    """Play by our strategy: look at a neighbour's piles once, and offer only a card that fits
    them.
    """
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
    """Yield the slots and cards that may be laid."""
    yield from enumerate(sight.row)
    if sight.top is not None:
        yield len(sight.row), sight.top


STRATEGIES: dict[str, Strategy] = {"blind": blind, "look": look_first}
