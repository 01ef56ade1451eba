"""Connect Four on a terminal. A `protocol.games.game_text.GameText`."""

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.open_game.grid import MARKS, board_text, changed_board_text, picture_text
from protocol.games.open_game.text import (
    hand_text,
    offers_on_turn,
    parse_numbers,
    seats_text,
    turn_menu,
)
from protocol.view.board import GridBoard, GridPieces
from protocol.view.phrase import phrase
from protocol.view.text import Say
from protocol.view.view import View

__all__ = [
    "changed_board_text",
    "hand_text",
    "help_text",
    "menu_text",
    "parse_choice",
    "picture_text",
    "table_text",
]


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the seats with their stones, and the board."""
    return [*seats_text(view, MARKS[GridPieces.STONES]), "", *board_text(view)]


def menu_text(view: View, say: Say) -> list[str]:
    """List the columns that are not full."""
    return turn_menu(say, phrase("connect_four.how", columns=_columns(view)))


def _columns(view: View) -> str:
    return ", ".join(str((offer.place or 0) + 1) for offer in view.offers)


def help_text(view: View, say: Say) -> str:
    return say(phrase("connect_four.help"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read the number of a column. Raises: LocalError, with the columns that are not full."""
    if (found := parse_numbers(line, 1)) is None:
        return None
    assert isinstance(view.board, GridBoard)
    column, offers = found[0] - 1, offers_on_turn(view)
    if not 0 <= column < view.board.width:
        raise LocalError("typed.number", most=view.board.width)
    offer = next((offer for offer in offers if offer.place == column), None)
    if offer is None:
        raise LocalError("connect_four.wrong.full", column=column + 1, columns=_columns(view))
    return offer.build_action()
