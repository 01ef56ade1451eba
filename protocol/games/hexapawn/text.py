"""Hexapawn on a terminal. A `protocol.games.game_text.GameText`."""

import re
from typing import Final

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.open_game.grid import (
    LETTERS,
    MARKS,
    board_text,
    cell_name,
    changed_board_text,
    picture_text,
)
from protocol.games.open_game.text import hand_text, offers_on_turn, seats_text, turn_menu
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
MOVE_PATTERN: Final = re.compile(rf"([{LETTERS}][1-9])[\s:x-]*([{LETTERS}][1-9])", re.ASCII)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the seats with their pawns, and the board."""
    return [*seats_text(view, MARKS[GridPieces.PAWNS]), "", *board_text(view)]


def menu_text(view: View, say: Say) -> list[str]:
    """List all moves."""
    return turn_menu(say, phrase("list.all", all=tuple(offer.label for offer in view.offers)))


def help_text(view: View, say: Say) -> str:
    return say(phrase("hexapawn.help"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read a move as two cells. Raises: LocalError, with all moves, if it is illegal."""
    found = MOVE_PATTERN.fullmatch(line.strip().casefold())
    if found is None:
        return None
    assert isinstance(view.board, GridBoard)
    width, offers = view.board.width, offers_on_turn(view)
    for offer in offers:
        if found.groups() == (
            cell_name(offer.piece or 0, width),
            cell_name(offer.place or 0, width),
        ):
            return offer.build_action()
    raise LocalError("typed.now", offers=tuple(offer.label for offer in offers))
