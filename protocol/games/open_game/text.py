"""What all games with nothing hidden have alike on a terminal: the seats; and what may be typed,
said in one line.
"""

import re
from collections.abc import Sequence

from protocol.errors import LocalError
from protocol.view.board import Offer, PieceView
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say
from protocol.view.view import View


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Nobody holds anything."""
    return ""


def seats_text(view: View, marks: Sequence[str] = ()) -> list[str]:
    """A row for each seat, that of the seat to act marked; with the mark of its men, if there are
    any.
    """
    turn = {True: "→", False: " "}
    shown = [f"{mark} " for mark in marks] or [""] * len(view.seats)
    return [
        f"{turn[seat.game.to_act]} {mark}{seat.name}"
        for seat, mark in zip(view.seats, shown, strict=True)
    ]


def turn_menu(say: Say, how: Phrase) -> list[str]:
    """That it is one's turn, and what can be typed."""
    return [say(phrase("seat.turn")), f"  {say(how)}"]


def parse_numbers(line: str, count: int) -> tuple[int, ...] | None:
    """So many numbers, if that is all that was typed."""
    found = re.fullmatch(
        r"\s*(\d{1,9})\s*" + r"[\s,:-]\s*(\d{1,9})\s*" * (count - 1), line, re.ASCII
    )
    return tuple(map(int, found.groups())) if found else None


def offers_on_turn(view: View) -> Sequence[Offer]:
    """What is on offer. Raises: LocalError if nothing is, since it is not one's turn."""
    if not view.offers:
        raise LocalError("typed.not_your_turn")
    return view.offers
