"""Game of matches on a terminal. A `protocol.games.game_text.GameText`."""

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.open_game.heaps import changed_board_text, picture_text, table_text
from protocol.games.open_game.text import hand_text, offers_on_turn, parse_numbers, turn_menu
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
    """Say how many matches can be taken."""
    return turn_menu(say, view.offers[0].label)


def help_text(view: View, say: Say) -> str:
    return say(phrase("heaps.help.one"))


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read the number of matches to take. Raises: LocalError."""
    if (found := parse_numbers(line, 1)) is None:
        return None
    (offer,) = offers_on_turn(view)
    chosen = offer.build_action(*found)
    if chosen is None:
        assert offer.amount is not None
        raise LocalError("typed.number", most=offer.amount.most)
    return chosen
