"""Connect Four on a terminal. A `protocol.games.game_text.GameText`."""

import re

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
    """List the columns that are not full, and those with an own stone to take out."""
    columns, pops = _columns(view), _pops(view)
    if not pops:
        how = "connect_four.how"
    else:
        how = "connect_four.how.both" if columns else "connect_four.how.pop"
    return turn_menu(say, phrase(how, columns=columns, pops=pops))


def _columns(view: View) -> str:
    return ", ".join(str(offer.place + 1) for offer in view.offers if offer.place is not None)


def _pops(view: View) -> str:
    return ", ".join(f"p{offer.piece + 1}" for offer in view.offers if offer.piece is not None)


def help_text(view: View, say: Say) -> str:
    return say(phrase("connect_four.help"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read the number of a column, or `p` and the number of a column to take a stone out of.

    Raises: LocalError, with the columns that can be chosen.
    """
    pop = re.fullmatch(r"\s*p(?:op)?\s*(\d+)\s*", line, re.ASCII | re.IGNORECASE)
    if (found := parse_numbers(pop[1] if pop else line, 1)) is None:
        return None
    assert isinstance(view.board, GridBoard)
    column, offers = found[0] - 1, offers_on_turn(view)
    if not 0 <= column < view.board.width:
        raise LocalError("typed.number", most=view.board.width)
    chosen = (offer.piece if pop else offer.place for offer in offers)
    offer = next((offer for offer, at in zip(offers, chosen, strict=True) if at == column), None)
    if offer is not None:
        return offer.build_action()
    if pop:
        why = "connect_four.wrong.pop" if _pops(view) else "connect_four.wrong.no_pop"
    else:
        why = "connect_four.wrong.full" if _columns(view) else "connect_four.wrong.all"
    raise LocalError(why, column=column + 1, columns=_columns(view), pops=_pops(view))
