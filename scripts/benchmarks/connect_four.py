"""Connect Four's solver, in Python and compiled, over published positions; beside it bitbully
(C++), in the same run.

CPU time of one thread. A node is a call of the search; each position begins with an empty table,
bitbully's keeps its.
"""

import time
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import NamedTuple

from bitbully import BitBully
from bitbully import Board as TheirBoard

from scripts.connect_four import END, ENDLESS, MIDDLE, at_random, published, reached, rules
from search.connect_four import SolverEngine
from search.connect_four.bit_board import board_of
from search.connect_four.compiled_engine import CompiledEngine
from search.connect_four.python_engine import PythonEngine
from search.connect_four.scores import bounds_of

# in the random positions for those who are fast; of a set's, one in so many
STONES = 12
SHARE = 20


class Cost(NamedTuple):
    """What some positions have cost."""

    scores: list[int]
    nodes: int
    seconds: float

    @property
    def ms(self) -> float:
        """Of a position."""
        return 1000 * self.seconds / len(self.scores)

    @property
    def nodes_per_s(self) -> float:
        """Looked at."""
        return self.nodes / self.seconds


def ours(kind: Callable[..., SolverEngine], positions: list[list[int]]) -> Cost:
    """Of an engine, begun anew for each position."""
    game = rules()
    scores = []
    nodes = 0
    seconds = 0.0
    for columns in positions:
        state = reached(game, columns)
        begun = time.process_time()
        board = board_of(game, state.own, state.occupied)
        engine = kind(board, ENDLESS)
        scores.append(bounds_of(engine, board, state.own, state.occupied).least)
        seconds += time.process_time() - begun
        nodes += engine.nodes
    return Cost(scores, nodes, seconds)


def theirs(positions: list[list[int]]) -> Cost:
    """Of bitbully without its opening book."""
    boards = [TheirBoard(columns) for columns in positions]
    solver = BitBully(opening_book=None)
    begun = time.process_time()
    scores = [solver.mtdf(board) for board in boards]
    return Cost(scores, solver.get_node_counter(), time.process_time() - begun)


def measure(positions: int) -> dict[str, float]:
    """Over the first so many positions of each set, and some random ones. RuntimeError for a wrong
    score.
    """
    end, middle = (list(islice(published(file), positions)) for file in (END, MIDDLE))
    random = Random(positions)
    game = rules()
    early = [at_random(game, STONES, random) for _ in range(positions // SHARE)]
    ours(CompiledEngine, early[:1])  # numba loads, or compiles
    ours(PythonEngine, [end[0][0]])  # and lines are looked up
    easy, harder = (ours(PythonEngine, [columns for columns, _ in some]) for some in (end, middle))
    compiled = ours(CompiledEngine, early)
    other_early = theirs(early)
    other_end = theirs([columns for columns, _ in end])
    right = [score for _, score in end + middle] + other_early.scores
    if easy.scores + harder.scores + compiled.scores != right or other_end.scores != easy.scores:
        raise RuntimeError("a score is not what others find")
    return {
        "connect_four_nodes_per_s": harder.nodes_per_s,
        "connect_four_nodes_per_s_science": compiled.nodes_per_s,
        "connect_four_nodes_per_s_bitbully": other_early.nodes_per_s,
        "connect_four_l3r1_nodes": easy.nodes / positions,
        "connect_four_l3r1_ms": easy.ms,
        "connect_four_l3r1_ms_bitbully": other_end.ms,
        "connect_four_l2r1_ms": harder.ms,
        "connect_four_12_stones_ms_science": compiled.ms,
        "connect_four_12_stones_ms_bitbully": other_early.ms,
    }
