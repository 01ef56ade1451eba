"""The engine compiled by numba: the same nodes in the same order as in Python, ten times as fast.

numba compiles the engine at its first call. The search has a stack of its own, so it can pause and
resume. Words are signed, with 64 bits: the highest bit is above a column, and only keys have it
set.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from protocol.limits import MAX_SOLVER_TABLE, SOLVER_STOP_NODES
from protocol.numba_compile import compile_function
from search.connect_four import SolverBudget
from search.connect_four.bit_board import BitBoard

# Columns of a row of the stack: a position and its bounds, then its moves, the best last, three
# numbers for each move.
OWN, OCCUPIED, MINE, THEIRS, ALPHA, KEY, LEAST, MOST, BEST, LEFT, MOVES = range(11)
MADE, MOVE, LACKING, EACH = range(4)
# Indexes of the counters.
NODES, DUE, PLY, VALUE, STORED, COUNTERS = range(6)
UNDECIDED = 65
WORST = -64
# first size of a table; the table grows, since most searches are short
SMALLEST = 4 * SOLVER_STOP_NODES
# 2^64 divided by the golden ratio: an odd number with well mixed bits.
SPREAD: Final = -7046029254386353131


class CompiledBoard(NamedTuple):
    """The numbers of a `BitBoard` in a form that numba compiles."""

    full: int
    bottom: int
    line: int
    cells: int
    folded: int
    columns: Any


class CompiledEngine:
    """A `SolverEngine` of compiled functions."""

    def __init__(self, board: BitBoard, meter: SolverBudget, table: int = MAX_SOLVER_TABLE) -> None:
        self._board = board
        self._meter = meter
        self._most = table
        columns = np.array(board.columns, dtype=np.int64)
        self._words = CompiledBoard(
            board.full, board.bottom, board.line, board.cells, board.folded, columns
        )
        self._stack = np.zeros((board.cells + 1, MOVES + EACH * len(columns)), dtype=np.int64)
        self._counters = np.zeros(COUNTERS, dtype=np.int64)
        self._table = _empty(SMALLEST)

    @property
    def nodes(self) -> int:
        return int(self._counters[NODES])

    def above(self, own: int, occupied: int, alpha: int) -> int:
        """Compare the score of a position with `alpha`; see `SolverEngine.above`. Raises:
        SolverStopped.
        """
        counters = self._counters
        mine = self._board.lacking(own)
        theirs = self._board.lacking(own ^ occupied)
        self._stack[0, : ALPHA + 1] = own, occupied, mine, theirs, alpha
        counters[PLY], counters[VALUE] = 0, UNDECIDED
        while not _run(self._stack, counters, self._table, self._words):
            counters[DUE] = self._pause(self.nodes)
        return int(counters[VALUE])

    def _pause(self, nodes: int) -> int:
        stored = self._counters[STORED]
        if stored > self._most:
            self._table = _empty(SMALLEST)
            self._counters[STORED] = 0
        elif 2 * (stored + SOLVER_STOP_NODES) > len(self._table):
            larger = _empty(4 * len(self._table))
            _copy(self._table, larger)
            self._table = larger
        return self._meter.pause(nodes)


def _empty(places: int) -> Any:
    return np.zeros((places, 2), np.int64)


@compile_function
def _copy(table: Any, larger: Any) -> None:
    for known in table:
        if known[0]:
            kept = larger[_place(known[0], larger)]
            kept[0], kept[1] = known[0], known[1]


@compile_function
def _run(stack: Any, counters: Any, table: Any, board: CompiledBoard) -> bool:
    """Search on. Return True when the value of the first row is known, False when a pause is
    due.
    """
    ply = counters[PLY]
    value = UNDECIDED
    while ply >= 0:
        if value == UNDECIDED:
            if counters[NODES] >= counters[DUE]:
                counters[PLY] = ply
                return False
            counters[NODES] += 1
            value = _look(stack, ply, table, board)
        else:
            stack[ply, BEST] = max(stack[ply, BEST], -value)
            value = UNDECIDED
            if stack[ply, BEST] > stack[ply, ALPHA] or stack[ply, LEFT] == 0:
                value = stack[ply, BEST]
                _keep(stack, ply, counters, table)
        if value == UNDECIDED:
            _move(stack, ply)
            ply += 1
        else:
            ply -= 1
    counters[VALUE] = value
    return True


@compile_function
def _look(stack: Any, ply: int, table: Any, board: CompiledBoard) -> int:
    """Return the value of a position; or UNDECIDED, with the moves written into the row."""
    left = board.cells - _count(stack[ply, OCCUPIED])
    possible = (stack[ply, OCCUPIED] + board.bottom) & board.full
    forced = possible & stack[ply, THEIRS]
    moves = (forced if forced else possible) & ~(stack[ply, THEIRS] >> 1)
    if forced & (forced - 1) or not moves:
        return -(left // 2)
    key = stack[ply, OWN] + stack[ply, OCCUPIED] + board.bottom
    if left > board.folded:
        key = min(key, _mirrored(key, board))
    stack[ply, LEAST], stack[ply, MOST] = min(1 - left // 2, 0), (left - 1) // 2
    at = _place(key, table)
    if table[at, 0]:
        stack[ply, LEAST], stack[ply, MOST] = table[at, 1] >> 7, (table[at, 1] & 127) - 64
    if stack[ply, LEAST] > stack[ply, ALPHA]:
        return int(stack[ply, LEAST])
    if stack[ply, MOST] <= stack[ply, ALPHA]:
        return int(stack[ply, MOST])
    stack[ply, KEY], stack[ply, BEST], stack[ply, LEFT] = key, WORST, 0
    for column in board.columns:
        if moves & column:
            _add(stack, ply, moves & column, board)
    return UNDECIDED


@compile_function
def _mirrored(word: int, board: CompiledBoard) -> int:
    """Exchange left and right."""
    column = (1 << board.line) - 1
    found = 0
    for _ in board.columns:
        found = found << board.line | word & column
        word >>= board.line
    return found


@compile_function
def _add(stack: Any, ply: int, move: int, board: CompiledBoard) -> None:
    """Insert a move into the row, sorted by the number of threats."""
    lacking = _lacking(stack[ply, OWN] | move, board)
    made = _count(lacking & ~stack[ply, OCCUPIED])
    at = MOVES + EACH * stack[ply, LEFT]
    while at > MOVES and stack[ply, at - EACH + MADE] >= made:
        for item in range(EACH):
            stack[ply, at + item] = stack[ply, at + item - EACH]
        at -= EACH
    stack[ply, at + MADE], stack[ply, at + MOVE], stack[ply, at + LACKING] = made, move, lacking
    stack[ply, LEFT] += 1


@compile_function
def _move(stack: Any, ply: int) -> None:
    """Make the best remaining move."""
    stack[ply, LEFT] -= 1
    at = MOVES + EACH * stack[ply, LEFT]
    stack[ply + 1, OWN], stack[ply + 1, OCCUPIED] = (
        stack[ply, OWN] ^ stack[ply, OCCUPIED],
        stack[ply, OCCUPIED] | stack[ply, at + MOVE],
    )
    stack[ply + 1, MINE], stack[ply + 1, THEIRS], stack[ply + 1, ALPHA] = (
        stack[ply, THEIRS],
        stack[ply, at + LACKING],
        -stack[ply, ALPHA] - 1,
    )


@compile_function
def _keep(stack: Any, ply: int, counters: Any, table: Any) -> None:
    at = _place(stack[ply, KEY], table)
    if not table[at, 0]:
        table[at, 0] = stack[ply, KEY]
        counters[STORED] += 1
    if stack[ply, BEST] > stack[ply, ALPHA]:
        stack[ply, LEAST] = stack[ply, BEST]
    else:
        stack[ply, MOST] = stack[ply, BEST]
    table[at, 1] = stack[ply, LEAST] << 7 | stack[ply, MOST] + 64


@compile_function
def _place(key: int, table: Any) -> int:
    """Find the index of a key in the table, or the free index for it."""
    last = len(table) - 1
    at = (key * SPREAD >> 20) & last
    while table[at, 0] and table[at, 0] != key:
        at = (at + 1) & last
    return at


@compile_function
def _lacking(stones: int, board: CompiledBoard) -> int:
    """Find the cells that complete four in line for these stones."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (board.line - 1, board.line, board.line + 1):
        after = stones << step
        before = stones >> step
        found |= after & stones << 2 * step & (stones << 3 * step | before)
        found |= before & stones >> 2 * step & (stones >> 3 * step | after)
    return found & board.full


@compile_function
def _count(word: int) -> int:
    """Count the set bits among the lower 63."""
    word -= word >> 1 & 0x5555555555555555
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333)
    word = word + (word >> 4) & 0x0F0F0F0F0F0F0F0F
    return word * 0x0101010101010101 >> 56
