"""Nim on a terminal. A `protocol.games.game_text.GameText`."""

from protocol.games import Action
from protocol.games.open_game.heaps import laid_text, table_text, taken
from protocol.games.open_game.text import hand_text, menu, numbers, on_turn
from protocol.view.board import Heaps
from protocol.view.phrase import phrase
from protocol.view.view import View
from protocol.view.text import Say

__all__ = ["hand_text", "help_text", "laid_text", "menu_text", "table_text", "typed"]


def menu_text(view: View, say: Say) -> list[str]:
    """How a row and a number are typed."""
    return menu(say, phrase("heaps.how"))


def help_text(view: View, say: Say) -> str:
    """A row, and how many."""
    return say(phrase("heaps.help"))


def typed(view: View, say: Say, line: str) -> Action | None:
    """A row, and how many to take from it. Raises: LocalError."""
    if (found := numbers(line, 2)) is None:
        return None
    assert isinstance(view.board, Heaps)
    row, count = found
    return taken(on_turn(view), row - 1, count, len(view.board.rows))
