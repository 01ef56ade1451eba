"""Solver of Connect Four, in Python and compiled, over published positions. The baseline is
bitbully (C++) in the same run.

Times are CPU time of one thread. A node is a call of the search. Each position begins with an empty
table of known positions; bitbully keeps its table.
"""

import time
from collections.abc import Callable
from itertools import islice
from random import Random
from typing import NamedTuple

from bitbully import BitBully
from bitbully import Board as TheirBoard

from scripts.connect_four import (
    END,
    ENDLESS,
    MIDDLE,
    position_after,
    random_columns,
    read_positions,
    rules,
)
from search.connect_four import SolverEngine
from search.connect_four.bit_board import board_of
from search.connect_four.compiled_engine import CompiledEngine
from search.connect_four.python_engine import PythonEngine
from search.connect_four.scores import bounds_of

# STONES: number of stones in random positions for the fast engines. SHARE: the slow one solves one
# in so many positions of a set.
STONES = 12
SHARE = 20


class Cost(NamedTuple):
    """Cost of solving some positions."""

    scores: list[int]
    nodes: int
    seconds: float

    @property
    def ms(self) -> float:
        """Milliseconds for a position."""
        return 1000 * self.seconds / len(self.scores)

    @property
    def nodes_per_s(self) -> float:
        """Nodes searched per second."""
        return self.nodes / self.seconds


def measure_own_engine(kind: Callable[..., SolverEngine], positions: list[list[int]]) -> Cost:
    """Measure one of our engines, made anew for each position."""
    game = rules()
    scores = []
    nodes = 0
    seconds = 0.0
    for columns in positions:
        state = position_after(game, columns)
        begun = time.process_time()
        board = board_of(game, state.own, state.occupied)
        engine = kind(board, ENDLESS)
        scores.append(bounds_of(engine, board, state.own, state.occupied).least)
        seconds += time.process_time() - begun
        nodes += engine.nodes
    return Cost(scores, nodes, seconds)


def measure_bitbully(positions: list[list[int]]) -> Cost:
    """Measure bitbully without its opening book."""
    boards = [TheirBoard(columns) for columns in positions]
    solver = BitBully(opening_book=None)
    begun = time.process_time()
    scores = [solver.mtdf(board) for board in boards]
    return Cost(scores, solver.get_node_counter(), time.process_time() - begun)


def measure(positions: int) -> dict[str, float]:
    """Measure the first `positions` of each set, and some random positions. Raises: RuntimeError
    for a wrong score.
    """
    end, middle = (list(islice(read_positions(file), positions)) for file in (END, MIDDLE))
    random = Random(positions)
    game = rules()
    early = [random_columns(game, STONES, random) for _ in range(positions // SHARE)]
    measure_own_engine(CompiledEngine, early[:1])  # loads numba, and compiles if needed
    measure_own_engine(PythonEngine, [end[0][0]])  # fills the cache of lines
    easy, harder = (
        measure_own_engine(PythonEngine, [columns for columns, _ in some]) for some in (end, middle)
    )
    compiled = measure_own_engine(CompiledEngine, early)
    other_early = measure_bitbully(early)
    other_end = measure_bitbully([columns for columns, _ in end])
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
