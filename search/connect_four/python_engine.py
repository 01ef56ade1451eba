"""The engine in Python: a recursive function, with all its data in a closure."""

from collections.abc import Callable
from operator import itemgetter

from protocol.limits import MAX_SOLVER_TABLE
from search.connect_four import SolverBudget
from search.connect_four.bit_board import BitBoard, mirrored
from search.connect_four.threat_table import threat_table

MADE = itemgetter(0)  # sort key of moves: number of threats
WORST = -64  # below every score


class PythonEngine:
    """A `SolverEngine` in Python. The table maps a key to both bounds: 128 · least + most + 64."""

    def __init__(self, board: BitBoard, meter: SolverBudget, table: int = MAX_SOLVER_TABLE) -> None:
        self._board = board
        self._meter = meter
        self._most = table
        self._table: dict[int, int] = {}
        self._search, self._count = _searcher(board, self._table, self._pause)

    @property
    def nodes(self) -> int:
        return self._count()

    def above(self, own: int, occupied: int, alpha: int) -> int:
        """Compare the score of a position with `alpha`; see `SolverEngine.above`. Raises:
        SolverStopped.
        """
        mine = self._board.lacking(own)
        theirs = self._board.lacking(own ^ occupied)
        return self._search(own, occupied, mine, theirs, alpha)

    def _pause(self, nodes: int) -> int:
        if len(self._table) > self._most:
            self._table.clear()
        return self._meter.pause(nodes)


def _searcher(
    board: BitBoard, table: dict[int, int], pause: Callable[[int], int]
) -> tuple[Callable[[int, int, int, int, int], int], Callable[[], int]]:
    """Make the search function and a function that returns its number of nodes.

    The search function takes own stones, all stones, own threats, the other seat's threats, and
    alpha.
    """
    full = board.full
    bottom = board.bottom
    cells = board.cells
    folded = board.folded
    known, ranked, nodes, due = table.get, _ranking(board), 0, 0

    def search(own: int, occupied: int, mine: int, theirs: int, alpha: int) -> int:
        nonlocal nodes, due
        if nodes >= due:
            due = pause(nodes)
        nodes += 1
        left = cells - occupied.bit_count()
        possible = occupied + bottom & full
        forced = possible & theirs
        # a stone below a threat of the other seat lets that seat win
        moves = (forced or possible) & ~(theirs >> 1)
        if forced & forced - 1 or not moves:
            return -(left // 2)
        key = own + occupied + bottom
        if left > folded:
            key = min(key, mirrored(board, key))
        bounds = known(key)
        if bounds is None:  # no seat wins with one of the next two stones
            least = 1 - left // 2 if left > 2 else 0
            most = left - 1 >> 1
        else:
            least = bounds >> 7
            most = (bounds & 127) - 64
        if least > alpha:
            return least
        if most <= alpha:
            return most
        best = WORST
        for _, move, lacking in ranked(own, occupied, mine, moves):
            value = -search(own ^ occupied, occupied | move, theirs, lacking, -alpha - 1)
            if value > best:
                best = value
                if value > alpha:
                    break
        table[key] = (best << 7 | most + 64) if best > alpha else (least << 7 | best + 64)
        return best

    return search, lambda: nodes


def _ranking(board: BitBoard) -> Callable[[int, int, int, int], list[tuple[int, int, int]]]:
    """Make a function that orders moves: most threats first, then the middle columns.

    The function returns (number of threats, move, own threats after the move) for each move.
    """
    around = threat_table(board.full, board.line)
    columns = board.columns

    def ranked(own: int, occupied: int, mine: int, moves: int) -> list[tuple[int, int, int]]:
        found = []
        for column in columns:
            move = moves & column
            if move:
                a, b, c, d, e, f = around[move]
                lacking = mine | b[own & a] | d[own & c] | f[own & e]
                found.append(((lacking & ~occupied).bit_count(), move, lacking))
        found.sort(key=MADE, reverse=True)
        return found

    return ranked
