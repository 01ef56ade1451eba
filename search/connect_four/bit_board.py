"""A board as the search sees it: some words, made once."""

from typing import NamedTuple

from protocol.games.connect_four.rules import ConnectFour


class BitBoard(NamedTuple):
    """Words in which bits are cells, as `protocol.games.connect_four.rules` has them, and some
    numbers.
    """

    full: int  # all cells
    bottom: int  # the lowest cell of each column
    line: int  # bits of a column
    cells: int
    columns: tuple[int, ...]  # the cells of each column, those in the middle first
    width: int
    # with more cells left than these, a position and its mirror image are one to the table
    folded: int

    def lacking(self, stones: int) -> int:
        """The cells, taken or not, that would make four in line of these stones."""
        found = stones << 1 & stones << 2 & stones << 3
        for step in (self.line - 1, self.line, self.line + 1):
            after, before = stones << step, stones >> step
            found |= after & stones << 2 * step & (stones << 3 * step | before)
            found |= before & stones >> 2 * step & (stones >> 3 * step | after)
        return found & self.full

    def wins(self, own: int, occupied: int) -> bool:
        """Whether the next stone makes four in line."""
        return bool(self.lacking(own) & occupied + self.bottom & self.full)

    def column(self, move: int) -> int:
        """Of a cell, from the left."""
        return (move.bit_length() - 1) // self.line


def board_of(game: ConnectFour, own: int, occupied: int) -> BitBoard:
    """A game's, for searches from this position.

    What may come to its own mirror image is looked up as either; in the second half of a game that
    does not pay.
    """
    middle, cells = game.width - 1, game.width * game.height
    at = sorted(range(game.width), key=lambda column: abs(2 * column - middle))
    columns = tuple(((1 << game.height) - 1) << game.line * column for column in at)
    board = BitBoard(game.full, game.bottom, game.line, cells, columns, game.width, cells // 2)
    meets = not own & mirrored(board, own ^ occupied)
    return board if meets else board._replace(folded=cells)


def mirrored(board: BitBoard, word: int) -> int:
    """With left and right exchanged."""
    column, found = (1 << board.line) - 1, 0
    for _ in board.columns:
        found = found << board.line | word & column
        word >>= board.line
    return found
