"""Search: who wins a game in which nothing is hidden, and by which move; step by step, each
measured in nodes.

Values are of the seat whose value is asked for: 1 it wins, −1 it loses, 0 a draw, and between them
what is guessed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from protocol.games import Action
from protocol.limits import SEARCH_GAMES

WIN, DRAW, LOSS = 1.0, 0.0, -1.0
# guesses are multiples of it, so that nothing lies between two that are next to each other
GRAIN = 1 / 1024

# The moves that are played, the first of them before all others: (move, (move, ... None)).
Line = tuple[Action, Any] | None


class ValueKind(StrEnum):
    """What a value says."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    GUESS = "guess"  # it rests on guesses, or on games played at random
    NONE = "none"  # the search was ended before it could say anything


@dataclass(frozen=True)
class SearchCounts:
    """What a search has cost."""

    # positions looked at, as often as they are; in retrograde search and tables: different ones
    nodes: int
    leaves: int  # nodes where the game is over, or where a guess was made
    cuts: int  # nodes at which some moves were not looked at
    hits: int  # nodes whose value stood in the table
    depth: int  # moves from the root to the deepest node


@dataclass(frozen=True)
class SearchResult:
    """What a search has found, for the seat that is to move. `moves`: the principal line, the best
    move first.
    """

    value: float
    kind: ValueKind
    moves: tuple[Action, ...]
    counts: SearchCounts

    @property
    def best(self) -> Action | None:
        """The best move; None if the search was ended before there was one."""
        return self.moves[0] if self.moves else None


def never_stop() -> bool:
    """Nobody asks for an end."""
    return False


@dataclass(frozen=True)
class SearchEffort:
    """How much a search may do."""

    nodes: int  # that it may look at
    # asked every few hundred nodes: True ends the search with what it has
    stop: Callable[[], bool] = never_stop
    depth: int | None = None  # moves that it looks ahead; None: to the end
    games: int = SEARCH_GAMES  # that Monte-Carlo search may play, instead
    seed: int = 0  # of what is left to chance: the same search with the same seed finds the same


def flatten_line(line: Line) -> tuple[Action, ...]:
    """A line, flat."""
    return tuple(_walk(line))


def _walk(line: Line) -> Iterator[Action]:
    while line is not None:
        move, line = line
        yield move
