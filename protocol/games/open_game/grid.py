"""A board of cells in plain text."""

from collections.abc import Sequence
from typing import Final

from protocol.view.board import GridBoard, GridPieces
from protocol.view.text import Say
from protocol.view.view import View

MARKS: Final = {
    GridPieces.STONES: ("X", "O"),
    GridPieces.PAWNS: ("▲", "▼"),
}  # by seat; pawns point where they go
LETTERS: Final = "abcdefghi"  # of columns, where cells have names


def cell_name(cell: int, width: int) -> str:
    """A cell as people call it: the column's letter, and the row's number from below."""
    return f"{LETTERS[cell % width]}{cell // width + 1}"


def grid_text(board: GridBoard, turned: bool = False) -> list[str]:
    """The rows from above, with the columns' names below them; `turned`: as it looks from the other
    side.
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
    """The board of a view; pawns as they look from the own side."""
    assert isinstance(view.board, GridBoard)
    return grid_text(view.board, turned=view.board.men is GridPieces.PAWNS and view.you == 1)


def changed_board_text(before: GridBoard, after: GridBoard, say: Say, width: int) -> list[str]:
    """The board, if it is another than before."""
    return [] if after.cells == before.cells else grid_text(after)
