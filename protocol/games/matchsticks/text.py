"""The matches game on a terminal. A `protocol.games.game_text.GameText`."""

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.open_game.heaps import laid_text, table_text
from protocol.games.open_game.text import hand_text, menu, numbers, on_turn
from protocol.view.phrase import phrase
from protocol.view.view import View
from protocol.view.text import Say

__all__ = ["hand_text", "help_text", "laid_text", "menu_text", "table_text", "typed"]


def menu_text(view: View, say: Say) -> list[str]:
    """How many can be taken."""
    return menu(say, view.offers[0].label)


def help_text(view: View, say: Say) -> str:
    """How many, as a number."""
    return say(phrase("heaps.help.one"))


def typed(view: View, say: Say, line: str) -> Action | None:
    """How many to take. Raises: LocalError."""
    if (found := numbers(line, 1)) is None:
        return None
    (offer,) = on_turn(view)
    chosen = offer.chosen(*found)
    if chosen is None:
        assert offer.amount is not None
        raise LocalError("typed.number", most=offer.amount.most)
    return chosen
