"""Search: find out who wins a game without hidden pieces, and by which move.

Each algorithm improves on one before it, and costs are counted in nodes. A value belongs to one
seat: 1 if the seat wins, −1 if it loses, 0 for a draw. A guess lies between these.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from protocol.games import Action
from protocol.limits import SEARCH_GAMES

WIN = 1.0
DRAW = 0.0
LOSS = -1.0
# Guesses are multiples of `GRAIN`, so no value lies between two neighbours.
GRAIN = 1 / 1024

# A line of play as nested pairs: (first move, (second move, ... None)).
Line = tuple[Action, Any] | None


class ValueKind(StrEnum):
    """Kind of a value: exact, a bound, a guess or none."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    GUESS = "guess"  # the value rests on guesses, or on games played at random
    NONE = "none"  # the search ended before it had a value


@dataclass(frozen=True)
class SearchCounts:
    """Cost of a search."""

    # Visits of positions, with repetitions. Retrograde search and `sweep` count each position once.
    nodes: int
    leaves: int  # nodes at the end of a game, or with a guess
    cuts: int  # nodes with moves that the search has skipped
    hits: int  # nodes with a value from the table
    depth: int  # moves from the root to the deepest node


@dataclass(frozen=True)
class SearchResult:
    """Result of a search, for the seat to move.

    `moves` is the principal line: the best move, then the best replies.
    """

    value: float
    kind: ValueKind
    moves: tuple[Action, ...]
    counts: SearchCounts

    @property
    def best(self) -> Action | None:
        """The best move; None if the search ended before it had a best move."""
        return self.moves[0] if self.moves else None


def never_stop() -> bool:
    """Return False: a `SearchEffort.stop` without an end."""
    return False


@dataclass(frozen=True)
class SearchEffort:
    """Limits of one search."""

    nodes: int  # most nodes to visit
    # Called every few hundred nodes. True ends the search with its result so far.
    stop: Callable[[], bool] = never_stop
    depth: int | None = None  # moves to look ahead; None: to the end of the game
    games: int = SEARCH_GAMES  # most games of a Monte-Carlo search
    seed: int = 0  # of random choices: equal seeds give equal results


def flatten_line(line: Line) -> tuple[Action, ...]:
    """Convert a line of nested pairs into a tuple of moves."""
    return tuple(_walk(line))


def _walk(line: Line) -> Iterator[Action]:
    while line is not None:
        move, line = line
        yield move
