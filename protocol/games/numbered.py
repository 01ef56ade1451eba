"""Choices that are typed by their number in a list."""

from protocol.errors import LocalError
from protocol.games import Action
from protocol.view.phrase import phrase
from protocol.view.view import View
from protocol.view.words import Say


def menu_text(view: View, say: Say) -> list[str]:
    """The choices, to be made by number."""
    return [say(phrase("seat.turn")), *(f"  {offer.id + 1}  {say(offer.label)}" for offer in view.offers)]


def help_text(view: View, say: Say) -> str:
    """How a choice is typed."""
    return say(phrase("typed.help.number"))


def typed(view: View, say: Say, line: str) -> Action | None:
    """The choice with the number that was typed; None for what is no number. Raises: LocalError."""
    if not (line.isascii() and line.isdigit()):
        return None
    if not view.offers:
        raise LocalError(say(phrase("typed.not_your_turn")))
    if not 1 <= int(line) <= len(view.offers):
        raise LocalError(say(phrase("typed.number", most=len(view.offers))))
    return view.offers[int(line) - 1].chosen()
