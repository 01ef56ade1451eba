"""Search for Connect Four's scores in steps: the number of positions that each improvement saves.

This module is slow and simple; `search.connect_four` has all improvements. A node is a call of the
search.
"""

from dataclasses import dataclass, field, replace

from search.connect_four.bit_board import BitBoard

# improvement of each step over the steps before it
STEPS = {
    "minimax": "",
    "alpha-beta": "cut",
    "the centre first": "centre",
    "a table of bounds": "table",
    "narrow windows": "narrow",
    "no move that loses at once": "safe",
    "most threats first": "threats",
}


@dataclass(frozen=True)
class Improvements:
    """Improvements that a search uses."""

    cut: bool = False
    centre: bool = False
    table: bool = False
    narrow: bool = False
    safe: bool = False
    threats: bool = False


def improvements_by_step() -> dict[str, Improvements]:
    """Return the improvements of each step."""
    found = {}
    so_far = Improvements()
    for name, added in STEPS.items():
        so_far = replace(so_far, **{added: True}) if added else so_far
        found[name] = so_far
    return found


@dataclass
class Search:
    """A search that counts its nodes."""

    board: BitBoard
    means: Improvements
    nodes: int = 0
    known: dict[int, tuple[int, int]] = field(default_factory=dict)

    def score(self, own: int, occupied: int) -> int:
        """Return the exact score of a position."""
        left = self.board.cells - occupied.bit_count()
        least = -(left // 2)
        most = (left + 1) // 2
        if not self.means.narrow:
            return self.value(own, occupied, least, most)
        while least < most:
            half = most // 2 if most >= -least else -(-least // 2) - 1
            alpha = min(max(half, least), most - 1)
            found = self.value(own, occupied, alpha, alpha + 1)
            least, most = (found, most) if found > alpha else (least, found)
        return least

    def value(self, own: int, occupied: int, alpha: int, beta: int) -> int:
        """Return the score of a position if it is in the window from `alpha` to `beta`, otherwise a
        bound.
        """
        self.nodes += 1
        board = self.board
        left = self.board.cells - occupied.bit_count()
        if board.wins(own, occupied):
            return (left + 1) // 2
        if left <= 1:
            return 0
        least, most = self.known.get(own + occupied + board.bottom, (-(left // 2), (left - 1) // 2))
        if self.means.cut and (least >= beta or most <= alpha or least == most):
            return least if least >= beta else most
        best = -board.cells
        for move in self.moves(own, occupied):
            if self.means.cut:
                floor = max(alpha, best)
            else:
                floor = -board.cells
            ceiling = beta if self.means.cut else board.cells
            best = max(best, -self.value(own ^ occupied, occupied | move, -ceiling, -floor))
            if best >= ceiling:
                break
        if best == -board.cells:  # every move loses at once
            return -(left // 2)
        if self.means.table:
            kept = (best if best > alpha else least, best if best < beta else most)
            self.known[own + occupied + board.bottom] = kept
        return best

    def moves(self, own: int, occupied: int) -> list[int]:
        """Return the moves to search, in order. Return none if all of them lose at once."""
        board = self.board
        use = self.means
        if use.centre:
            columns = board.columns
        else:
            columns = sorted(board.columns)
        possible = occupied + board.bottom & board.full
        if use.safe:
            theirs = board.lacking(own ^ occupied)
            forced = possible & theirs
            if forced & forced - 1:
                possible = 0
            else:
                possible = (forced or possible) & ~(theirs >> 1)
        moves = [possible & column for column in columns if possible & column]
        if use.threats:
            moves.sort(key=lambda move: -(board.lacking(own | move) & ~occupied).bit_count())
        return moves
