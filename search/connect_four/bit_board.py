"""A board as bit masks, which the engines share."""

from typing import NamedTuple

from protocol.games.connect_four.rules import ConnectFour


class BitBoard(NamedTuple):
    """Bit masks of a board, with the bits of `protocol.games.connect_four.rules`, and its
    numbers.
    """

    full: int  # all cells
    bottom: int  # lowest cell of each column
    line: int  # bits for each column
    cells: int
    columns: tuple[int, ...]  # cells of each column, middle columns first
    width: int
    # With more empty cells than these, a position and its mirror image share a table entry.
    folded: int

    def lacking(self, stones: int) -> int:
        """Return the cells, empty or not, that complete four in line for these stones."""
        found = stones << 1 & stones << 2 & stones << 3
        for step in (self.line - 1, self.line, self.line + 1):
            after = stones << step
            before = stones >> step
            found |= after & stones << 2 * step & (stones << 3 * step | before)
            found |= before & stones >> 2 * step & (stones >> 3 * step | after)
        return found & self.full

    def wins(self, own: int, occupied: int) -> bool:
        """Check that the next stone can complete four in line."""
        return bool(self.lacking(own) & occupied + self.bottom & self.full)

    def column(self, move: int) -> int:
        """Return the column of a cell, counted from the left."""
        return (move.bit_length() - 1) // self.line


def board_of(game: ConnectFour, own: int, occupied: int) -> BitBoard:
    """Make the board of a game for a search from this position.

    The search looks up mirror images only if play can reach a mirror image, and only in the first
    half of a game; later the look-up costs more than it saves.
    """
    middle = game.width - 1
    cells = game.width * game.height
    at = sorted(range(game.width), key=lambda column: abs(2 * column - middle))
    columns = tuple(((1 << game.height) - 1) << game.line * column for column in at)
    board = BitBoard(game.full, game.bottom, game.line, cells, columns, game.width, cells // 2)
    meets = not own & mirrored(board, own ^ occupied)
    return board if meets else board._replace(folded=cells)


def mirrored(board: BitBoard, word: int) -> int:
    """Exchange left and right."""
    column = (1 << board.line) - 1
    found = 0
    for _ in board.columns:
        found = found << board.line | word & column
        word >>= board.line
    return found
