"""Board of cells as plain text."""

from collections.abc import Sequence
from typing import Final

from protocol.view.board import GridBoard, GridPieces
from protocol.view.text import Say
from protocol.view.view import View

# By seat; pawns point in the direction of their moves.
MARKS: Final = {
    GridPieces.STONES: ("X", "O"),
    GridPieces.PAWNS: ("▲", "▼"),
}
LETTERS: Final = "abcdefghi"  # names of columns, for boards whose cells have names


def cell_name(cell: int, width: int) -> str:
    """Name a cell: the letter of its column, then the number of its row from below, as `a1`."""
    return f"{LETTERS[cell % width]}{cell // width + 1}"


def grid_text(board: GridBoard, turned: bool = False) -> list[str]:
    """Draw the rows from the top, with the names of the columns below. `turned`: draw the board
    from the other side.
    """
    named = board.men is GridPieces.PAWNS
    names = (
        list(LETTERS[: board.width])
        if named
        else [str(column + 1) for column in range(board.width)]
    )
    wide, step = max(map(len, names)), -1 if turned else 1
    rows = []
    for row in range(board.height)[::-step]:
        cells = board.cells[row * board.width : (row + 1) * board.width]
        rows.append(
            _row(
                f"{row + 1} " if named else "", [_mark(board, seat) for seat in cells[::step]], wide
            )
        )
    return [*rows, _row("  " if named else "", names[::step], wide)]


def _mark(board: GridBoard, seat: int | None) -> str:
    return "·" if seat is None else MARKS[board.men][seat]


def _row(label: str, cells: Sequence[str], wide: int) -> str:
    return f"  {label}" + " ".join(f"{cell:>{wide}}" for cell in cells)


def board_text(view: View) -> list[str]:
    """Draw the board of a view. A board of pawns is drawn from the side of the reader's seat."""
    assert isinstance(view.board, GridBoard)
    return grid_text(view.board, turned=view.board.men is GridPieces.PAWNS and view.you == 1)


def picture_text(board: GridBoard, say: Say, width: int) -> list[str]:
    """Draw the board from the side of seat 0."""
    return grid_text(board)


def changed_board_text(before: GridBoard, after: GridBoard, say: Say, width: int) -> list[str]:
    """Draw the board if it has changed."""
    return [] if after.cells == before.cells else grid_text(after)
