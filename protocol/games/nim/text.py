"""Nim on a terminal. A `protocol.games.game_text.GameText`."""

from protocol.games import Action
from protocol.games.open_game.heaps import changed_board_text, parse_take, picture_text, table_text
from protocol.games.open_game.text import hand_text, offers_on_turn, parse_numbers, turn_menu
from protocol.view.board import HeapRows
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


def menu_text(view: View, say: Say) -> list[str]:
    """Say how to type a row and a count."""
    return turn_menu(say, phrase("heaps.how"))


def help_text(view: View, say: Say) -> str:
    return say(phrase("heaps.help"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read a row and the count to take from it. Raises: LocalError."""
    if (found := parse_numbers(line, 2)) is None:
        return None
    assert isinstance(view.board, HeapRows)
    row, count = found
    return parse_take(offers_on_turn(view), row - 1, count, len(view.board.rows))
